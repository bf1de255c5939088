"""A model profile: tokenizer, framing, wire form and limits of one model revision, bound to one form of payload."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conspectus.core.call import Form
from conspectus.core.message import Message, Prompt, SealedPart, ToolSchema
from conspectus.core.ports import Exactness, Limits
from conspectus.models.anthropic import anthropic_body, opened_by_user
from conspectus.models.certify import adds_up
from conspectus.models.counting import BlockCounter
from conspectus.models.framing import Framing
from conspectus.models.neutral import json_body, no_place, text_body
from conspectus.models.openai import openai_body

_ANSWERS = 64

RemoteCount = Callable[[bytes], int]
"""Asks the provider for the input tokens of a body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What a profile is made for.

    Attributes:
        name: what a person asks for it by.
        model: the name that goes into a body.
        revision: of the model, as far as it is known.
        chat_margin, text_margin: largest share by which a count may be wrong; 0 is exact.
        control_strings: strings that would be structure if data held them.
    """

    name: str
    model: str
    revision: str
    limits: Limits
    chat_margin: float
    text_margin: float
    control_strings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """How a payload leaves.

    Attributes:
        form: the form of its body.
        output: tokens asked for in the body; 0 leaves the number to the provider where it lets one.
        remote: the provider's own count, or None.
    """

    form: Form
    output: int = 0
    remote: RemoteCount | None = None


class Profile:
    """One model in one form; implements `core.ports.ModelProfile`."""

    def __init__(self, facts: ModelFacts, counter: BlockCounter, framing: Framing, wire: Wire) -> None:
        """Tie the parts together; nothing is loaded before something is counted."""
        self._facts = facts
        self._counter = counter
        self._framing = framing
        self._wire = wire
        self._additive: bool | None = None
        self._answers: dict[bytes, int] = {}

    @property
    def name(self) -> str:
        """The name a person asks for it by."""
        return self._facts.name

    @property
    def form(self) -> Form:
        """The form its bodies have."""
        return self._wire.form

    @property
    def model_revision(self) -> str:
        """Revision of the model the profile was made for."""
        return self._facts.revision

    @property
    def tokenizer_revision(self) -> str:
        """Revision of the vocabulary."""
        return self._counter.tokenizer.revision

    @property
    def template_revision(self) -> str:
        """Revision of the chat template or framing rules, and what is done to conversations for it."""
        if self.form is Form.TEXT:
            return "text"
        return "+".join((self._framing.revision, *self._framing.adaptations))

    @property
    def exactness(self) -> Exactness:
        """Whether `count` is what the provider will report."""
        return Exactness.ESTIMATED if self.margin else Exactness.EXACT

    @property
    def margin(self) -> float:
        """Largest share by which an estimate may be wrong; 0 for an exact profile."""
        if self.form is Form.TEXT:
            return self._facts.text_margin
        return 0.0 if self._wire.remote else self._facts.chat_margin

    @property
    def limits(self) -> Limits:
        """What the model accepts."""
        return self._facts.limits

    @property
    def control_strings(self) -> tuple[str, ...]:
        """Strings that would be structure instead of text if data held them."""
        return self._facts.control_strings

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What is done to a conversation before this model is sent it, because its template refuses it as it is."""
        return self._framing.adaptations

    @property
    def additive(self) -> bool:
        """Whether the tokens of blocks add up under this tokenizer; tried once."""
        if self._additive is None:
            self._additive = adds_up(self._counter)
        return self._additive

    def count(self, prompt: Prompt) -> int:
        """Input tokens of the whole prompt in this profile's form, template and tools included.

        Raises:
            IncompatibleSpec: the prompt has a part this form or this model has no place for.
            ModelUnavailable: what counts cannot be loaded or reached.
        """
        self._check(prompt)
        if self.form is Form.TEXT:
            return self._counter.count(text_body(prompt))
        return (
            self._asked(prompt, self._wire.remote) if self._wire.remote else self._framing.count(self._opened(prompt))
        )

    def count_blocks(self, blocks: Sequence[str]) -> NDArray[np.int64]:
        """Tokens each block adds inside a text or a turn; a block starts with `<` or `[` and ends with a blank line."""
        return self._counter.count_blocks(blocks)

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        """Tokens each group of turns adds to a chat.

        Raises:
            IncompatibleSpec: a turn has a part this model has no place for.
        """
        return self._framing.count_turns(units)

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        """Tokens each tool adds to a chat that has tools.

        Raises:
            IncompatibleSpec: a tool's parameters are no JSON object.
        """
        return self._framing.count_tools(tools)

    def encode(self, prompt: Prompt) -> str:
        """The body in this profile's form, ready to be sent.

        Raises:
            IncompatibleSpec: the prompt has a part this form has no place for.
        """
        self._check(prompt)
        if self.form is Form.TEXT:
            return text_body(prompt)
        adapted = self._framing.adapt(self._opened(prompt))
        match self.form:
            case Form.OPENAI:
                return openai_body(adapted, self._facts.model, self._wire.output)
            case Form.ANTHROPIC:
                return anthropic_body(adapted, self._facts.model, self._wire.output or self.limits.output)
            case _:
                return json_body(adapted)

    def _opened(self, prompt: Prompt) -> Prompt:
        """The prompt as the API of this form takes it, whichever model the body is for."""
        return opened_by_user(prompt) if self.form is Form.ANTHROPIC else prompt

    def _asked(self, prompt: Prompt, remote: RemoteCount) -> int:
        """The provider's own count; the same body is asked for once."""
        body = anthropic_body(self._framing.adapt(prompt), self._facts.model, 0).encode()
        if body not in self._answers:
            if len(self._answers) >= _ANSWERS:
                self._answers.clear()
            self._answers[body] = remote(body)
        return self._answers[body]

    def _check(self, prompt: Prompt) -> None:
        """Refuse blocks sealed for another form: they may only be sent byte for byte, to whoever sealed them."""
        for message in prompt.messages:
            for part in message.parts:
                if isinstance(part, SealedPart) and part.provider != self.form.value:
                    raise no_place(part, self.form.value)
