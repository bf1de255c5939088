"""Profiles of closed models: an open vocabulary and published framing rules; estimates with a margin, exact as text."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conspectus.core.call import Form
from conspectus.core.message import (
    ImagePart,
    Message,
    Prompt,
    SealedPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSchema,
)
from conspectus.core.ports import Exactness, Limits
from conspectus.models.encodings import Encoding
from conspectus.models.wire import encode

_PER_TURN = 3
_PER_REPLY = 3
_PER_CALL = 8
_PER_TOOL = 10
_TOOLS = 12
_IMAGE_BASE = 85
_IMAGE_TILE = 170


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is assumed of a closed model.

    Attributes:
        own_vocabulary: whether the vocabulary counted with is the model's own.
        margin: largest share by which the real count may be above the estimate.
        controls: strings that could be structure for it.
    """

    name: str
    model: str
    revision: str
    limits: Limits
    own_vocabulary: bool
    margin: float
    controls: tuple[str, ...]


class ClosedProfile:
    """A closed model in one form. As text, under its own vocabulary, the count is exact: nothing is framed.

    Framing follows OpenAI's cookbook, "How to count tokens with tiktoken": 3 tokens a turn and 3 for the reply; images
    85 tokens and 170 a tile of 512 pixels. Tools are counted as their JSON, which is more than any known rendering.
    """

    def __init__(self, rules: Rules, vocabulary: Encoding, form: Form, output: int) -> None:
        self._rules = rules
        self._vocabulary = vocabulary
        self._output = output
        self.form = form
        self.name = rules.name
        self.model_revision = rules.revision
        self.tokenizer_revision = f"{vocabulary.revision}{'' if rules.own_vocabulary else '/borrowed'}"
        self.template_revision = "text" if form is Form.TEXT else f"{form.value}-framing-1"
        self.limits = rules.limits
        self.control_strings = rules.controls

    @property
    def exactness(self) -> Exactness:
        """Exact for text under the model's own vocabulary, else an estimate."""
        exact = self.form is Form.TEXT and self._rules.own_vocabulary
        return Exactness.EXACT if exact else Exactness.ESTIMATED

    @property
    def margin(self) -> float:
        """Largest share by which the estimate may be wrong."""
        return 0.0 if self.exactness is Exactness.EXACT else self._rules.margin

    def count(self, prompt: Prompt) -> int:
        """Input tokens of the prompt in this form."""
        if self.form is Form.TEXT:
            return self._vocabulary.count(prompt.text)
        turns = sum(self._turn(message) for message in prompt.messages)
        tools = sum(self._tool(tool) for tool in prompt.tools)
        return turns + tools + _PER_REPLY + (_TOOLS if prompt.tools else 0)

    def count_blocks(self, blocks: Sequence[str]) -> NDArray[np.int64]:
        """Tokens each block adds."""
        return self._vocabulary.count_many(blocks)

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        """Tokens each group of turns adds."""
        return np.array([sum(map(self._turn, unit)) for unit in units], dtype=np.int64)

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        """Tokens each tool adds."""
        return np.array([self._tool(tool) for tool in tools], dtype=np.int64)

    def encode(self, prompt: Prompt) -> str:
        """The body."""
        return encode(prompt, self.form, self._rules.model, self._output)

    def _text(self, text: str) -> int:
        return self._vocabulary.count(text)

    def _turn(self, message: Message) -> int:
        return _PER_TURN + self._text(message.role.value) + sum(map(self._part, message.parts))

    def _part(self, part: object) -> int:
        match part:
            case TextPart():
                return self._text(part.text)
            case ToolCallPart():
                return _PER_CALL + self._text(part.name) + self._text(part.arguments)
            case ToolResultPart():
                return _PER_TURN + self._text(part.call_id) + self._text(part.text) + sum(map(self._part, part.images))
            case SealedPart():
                return self._text(part.raw)
            case ImagePart():
                return _image(part)
            case _:
                raise TypeError(f"no count for a {type(part).__name__}")

    def _tool(self, tool: ToolSchema) -> int:
        described = json.dumps({"name": tool.name, "description": tool.description}, ensure_ascii=False)
        return _PER_TOOL + self._text(described) + self._text(tool.parameters)


def _image(part: ImagePart) -> int:
    """Tokens of a picture: 85, and 170 for each tile of 512 pixels; of unknown size, that of the largest."""
    if part.detail == "low":
        return _IMAGE_BASE
    width, height = part.width or 2048, part.height or 768
    return _IMAGE_BASE + _IMAGE_TILE * math.ceil(width / 512) * math.ceil(height / 512)
