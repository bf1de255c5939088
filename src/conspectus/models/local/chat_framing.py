"""Counts a chat by rendering it as the model's server does; the exact counterpart of constants."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conspectus.core.canonical import text_hash
from conspectus.core.message import Message, Prompt, Role, TextPart, ToolSchema
from conspectus.errors import IncompatibleSpec
from conspectus.models.local.adapt import adapted
from conspectus.models.local.conversation import spelled, spelled_tools
from conspectus.models.local.probe import Needs
from conspectus.models.local.quoting import data_of, quoted
from conspectus.models.local.template import ChatTemplate
from conspectus.models.local.vocabulary import Vocabulary

_MEMORY = 1 << 14
_PROBE = ToolSchema(name="probe", description="A probe.", parameters='{"type":"object","properties":{}}')


class ChatFraming:
    """A chat template and the vocabulary that reads what it writes; implements `models.framing.Framing`.

    What a unit of turns adds is the difference it makes between a system and a user turn; what a tool adds, the
    difference it makes between two other tools. A template that writes all tools as one list may let the last of them
    end otherwise than the others, by a token or two; the count of the whole is exact in any case.
    """

    def __init__(self, template: ChatTemplate, needs: Needs, vocabulary: Vocabulary, bos: str = "") -> None:
        """Tie template and vocabulary.

        Args:
            template: writes the chat.
            needs: what is done to a conversation first.
            vocabulary: reads what was written.
            bos: what the server puts in front of everything the template writes, or empty.
        """
        self._template = template
        self._needs = needs
        self._vocabulary = vocabulary
        self._bos = bos
        self._turns: dict[tuple[Message, ...], int] = {}
        self._tools: dict[ToolSchema, int] = {}

    @property
    def revision(self) -> str:
        """Hash of the template, and the moment it was given, where it writes the date."""
        dated = self._template.dated
        return f"jinja/{text_hash(self._template.source)[:12]}{f'@{dated}' if dated else ''}"

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What is done to a conversation first, by name."""
        return self._needs.names

    def adapt(self, prompt: Prompt) -> Prompt:
        """The prompt as it is sent."""
        return adapted(prompt, self._needs.adaptations)

    def render(self, prompt: Prompt) -> str:
        """The text the model's server makes of the prompt.

        Raises:
            IncompatibleSpec: the template refuses the conversation, or it has a part templates know no word for.
        """
        changed = self.adapt(prompt)
        text = self._template.render(spelled(changed.messages, self._needs.spelling), spelled_tools(changed.tools))
        return text if text.startswith(self._bos) else self._bos + text

    def count(self, prompt: Prompt) -> int:
        """Input tokens of the prompt, exactly.

        Raises:
            IncompatibleSpec: the prompt cannot be rendered.
        """
        if prompt.text:
            raise IncompatibleSpec("form", "a chat form takes turns, not one text")
        if any(map(self._vocabulary.hides_control, data_of(prompt))):
            raise IncompatibleSpec(
                "text", "holds a control string in disguise, which the tokenizer normalises; clean it"
            )
        return self._vocabulary.count_rendered(self.render(prompt))

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        """Tokens each group of turns adds.

        Raises:
            IncompatibleSpec: a unit cannot be rendered.
        """
        memory = self._turns
        fresh = [unit for unit in dict.fromkeys(units) if unit not in memory]
        found = {unit: memory[unit] for unit in set(units) if unit in memory}
        if fresh:
            system, user = _turn(Role.SYSTEM, "x"), _turn(Role.USER, "x")
            without = self.count(Prompt(messages=(system, user)))
            found.update((unit, self.count(Prompt(messages=(system, *unit, user))) - without) for unit in fresh)
            if len(memory) > _MEMORY:
                memory.clear()
            memory.update(found)
        return np.array([found[unit] for unit in units], dtype=np.int64)

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        """Tokens each tool adds to a chat that has tools.

        Raises:
            IncompatibleSpec: a tool's parameters are no JSON object.
        """
        memory = self._tools
        fresh = [tool for tool in dict.fromkeys(tools) if tool not in memory]
        if fresh:
            turns = (_turn(Role.SYSTEM, "x"), _turn(Role.USER, "x"))
            without = self.count(Prompt(messages=turns, tools=(_PROBE, _PROBE)))
            memory.update((t, self.count(Prompt(messages=turns, tools=(_PROBE, t, _PROBE))) - without) for t in fresh)
        return np.array([memory[tool] for tool in tools], dtype=np.int64)

    def encode_ids(self, prompt: Prompt) -> list[int]:
        """Token ids with scaffold and data kept apart: whatever the data holds, no control id comes from it.

        Data that holds no control string gives the ids its rendered text gives.

        Raises:
            IncompatibleSpec: the prompt cannot be rendered, or holds a noncharacter this needs for itself.
        """
        quoting = self._vocabulary.quoting()
        return self._vocabulary.encode_apart(self.render(quoted(prompt, quoting)), quoting)


def _turn(role: Role, text: str) -> Message:
    return Message(role=role, parts=(TextPart(text=text),))
