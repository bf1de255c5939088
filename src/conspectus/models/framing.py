"""How turns and tools are counted: a port for every way, and the way of closed models, by published constants."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from conspectus.core.message import (
    ImagePart,
    Message,
    Part,
    Prompt,
    SealedPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSchema,
)
from conspectus.errors import IncompatibleSpec
from conspectus.models.counting import BlockCounter
from conspectus.models.images import ImageRule


class Framing(Protocol):
    """Counts a chat as the model sees it."""

    @property
    def revision(self) -> str:
        """Revision of the rules or the template."""
        ...

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What has to be done to a conversation before this model can be sent it."""
        ...

    def adapt(self, prompt: Prompt) -> Prompt:
        """The prompt as it is sent."""
        ...

    def count(self, prompt: Prompt) -> int:
        """Input tokens of the prompt as it is sent."""
        ...

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        """Tokens each group of turns adds."""
        ...

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        """Tokens each tool adds to a chat that has tools."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FramingRules:
    """The constants of one closed model.

    Attributes:
        revision: of these rules.
        per_prompt, per_turn, per_call, per_result: tokens around each.
        tools_opening: tokens that the first tool brings with it.
        tool_text: what is shown of a tool.
        tool_factor: how much more than the tokens of that text is charged, because the rendering is not published.
        image: what a picture costs.
        adapt: what the provider's own rules ask of a conversation.
    """

    revision: str
    per_prompt: int
    per_turn: int
    per_call: int
    per_result: int
    tools_opening: int
    tool_text: Callable[[ToolSchema], str]
    tool_factor: float
    image: ImageRule
    adapt: Callable[[Prompt], Prompt]


class RuledFraming:
    """Counts turns by constants: an estimate that is the sum of its parts by definition."""

    adaptations: tuple[str, ...] = ()

    def __init__(self, rules: FramingRules, counter: BlockCounter) -> None:
        """Take the constants, and what counts text."""
        self._rules = rules
        self._counter = counter

    @property
    def revision(self) -> str:
        """Revision of the constants."""
        return self._rules.revision

    def adapt(self, prompt: Prompt) -> Prompt:
        """The prompt as the provider accepts it."""
        return self._rules.adapt(prompt)

    def count(self, prompt: Prompt) -> int:
        """Input tokens of the prompt, as far as the constants tell.

        Raises:
            IncompatibleSpec: a part has no known cost.
        """
        adapted = self.adapt(prompt)
        turns = sum(self._turn(message) for message in adapted.messages)
        tools = sum(self._tool(tool) for tool in adapted.tools)
        return self._rules.per_prompt + turns + tools + (self._rules.tools_opening if adapted.tools else 0)

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        """Tokens each group of turns adds.

        Raises:
            IncompatibleSpec: a part has no known cost.
        """
        return np.array([sum(map(self._turn, unit)) for unit in units], dtype=np.int64)

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        """Tokens each tool adds to a chat that has tools."""
        return np.array([self._tool(tool) for tool in tools], dtype=np.int64)

    def _turn(self, message: Message) -> int:
        """Every result travels as a turn of its own; everything else of a message as one."""
        results = sum(isinstance(part, ToolResultPart) for part in message.parts)
        turns = results + (results < len(message.parts) or not message.parts)
        framed = turns * (self._rules.per_turn + self._counter.count(message.role.value))
        return framed + self._counter.count(message.text) + sum(map(self._part, message.parts))

    def _part(self, part: Part) -> int:
        count, rules = self._counter.count, self._rules
        match part:
            case TextPart():
                return 0  # counted with the other texts of its turn, for they are one text to the model
            case ToolCallPart():
                return rules.per_call + count(part.call_id) + count(part.name) + count(part.arguments)
            case ToolResultPart():
                return rules.per_result + count(part.call_id) + count(part.text) + sum(map(self._part, part.images))
            case SealedPart():
                return count(part.raw)
            case ImagePart():
                return rules.image.cost(part)
            case _:
                raise IncompatibleSpec("message", f"a {type(part).__name__} has no known cost")

    def _tool(self, tool: ToolSchema) -> int:
        return math.ceil(self._rules.tool_factor * self._counter.count(self._rules.tool_text(tool)))
