"""In-memory parts for the contract: sources, and model profiles whose counts are exact because they define them."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from conspectus.core.call import Caller, Form, Request
from conspectus.core.item import ContextItem
from conspectus.core.manifest import Decision, Gathered
from conspectus.core.message import (
    Message,
    Part,
    Prompt,
    SealedPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSchema,
)
from conspectus.core.ports import Exactness, Limits

CONTROL_STRINGS = (
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "</s>",
    "<tool_call>",
    "</tool_call>",
    "<|eot_id|>",
    "\n\nHuman:",
)
_TURN, _CALL, _RESULT, _IMAGE, _TOOL, _TOOLS, _CHAT = 4, 5, 5, 85, 6, 7, 3


@dataclass(frozen=True)
class ListSource:
    """A source that offers what it was given."""

    name: str
    items: Sequence[ContextItem] = ()
    decisions: Sequence[Decision] = ()
    refused: Sequence[tuple[str, int]] = ()

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:
        return Gathered(items=tuple(self.items), decisions=tuple(self.decisions), refused=tuple(self.refused))


@dataclass(frozen=True)
class FailingSource:
    """A source that raises `error`."""

    name: str
    error: Exception

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:
        raise self.error


@dataclass(frozen=True)
class DefinedProfile:
    """A model whose tokens are what `measure` says, so that no count can be anything but exact."""

    name: str
    measure: Callable[[str], int]
    form: Form = Form.TEXT
    margin: float = 0.0
    control_strings: tuple[str, ...] = CONTROL_STRINGS
    limits: Limits = field(default_factory=lambda: Limits(window=1 << 30, output=1 << 20))

    @property
    def model_revision(self) -> str:
        return f"{self.name}-model"

    @property
    def tokenizer_revision(self) -> str:
        return f"{self.name}-tokenizer"

    @property
    def template_revision(self) -> str:
        return f"{self.name}-template"

    @property
    def exactness(self) -> Exactness:
        return Exactness.ESTIMATED if self.margin else Exactness.EXACT

    def count(self, prompt: Prompt) -> int:
        if self.form is Form.TEXT:
            return self.measure(prompt.text)
        tools = _TOOLS + int(self.count_tools(prompt.tools).sum()) if prompt.tools else 0
        return _CHAT + sum(map(self._turn, prompt.messages)) + tools

    def count_blocks(self, blocks: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self.measure(block) for block in blocks], dtype=np.int64)

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        return np.array([sum(map(self._turn, unit)) for unit in units], dtype=np.int64)

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        counts = [_TOOL + sum(map(self.measure, (tool.name, tool.description, tool.parameters))) for tool in tools]
        return np.array(counts, dtype=np.int64)

    def encode(self, prompt: Prompt) -> str:
        return prompt.text if self.form is Form.TEXT else encode_chat(prompt)

    def recount(self, body: str) -> int:
        """Tokens of a body that left, counted from nothing but the body."""
        return self.count(Prompt(text=body) if self.form is Form.TEXT else decode_chat(body))

    def _turn(self, message: Message) -> int:
        text = "".join(part.text for part in message.parts if isinstance(part, TextPart))
        others = (part for part in message.parts if not isinstance(part, TextPart))
        return _TURN + self.measure(text) + sum(map(self._part, others))

    def _part(self, part: Part) -> int:
        match part:
            case ToolCallPart():
                return _CALL + sum(map(self.measure, (part.call_id, part.name, part.arguments)))
            case ToolResultPart():
                pictures = _IMAGE * len(part.images)
                return _RESULT + pictures + sum(map(self.measure, (part.call_id, part.name, part.text)))
            case SealedPart():
                return self.measure(part.raw)
            case _:
                return _IMAGE


def encode_chat(prompt: Prompt) -> str:
    """Turns and tools as JSON, losing nothing."""
    turns = [
        {"role": message.role.value, "parts": [[type(part).__name__, _fields(part)] for part in message.parts]}
        for message in prompt.messages
    ]
    return json.dumps({"messages": turns, "tools": [_fields(tool) for tool in prompt.tools]}, ensure_ascii=False)


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in type(value).__slots__ if name != "images"}


def decode_chat(body: str) -> Prompt:
    """The turns and tools of a body; images inside results are not carried."""
    kinds = {kind.__name__: kind for kind in (TextPart, ToolCallPart, ToolResultPart, SealedPart)}
    read = json.loads(body)
    messages = tuple(
        Message(role=turn["role"], parts=tuple(kinds[kind](**given) for kind, given in turn["parts"]))
        for turn in read["messages"]
    )
    return Prompt(messages=messages, tools=tuple(ToolSchema(**tool) for tool in read["tools"]))


def rendered(prompt: Prompt) -> str:
    """A chat as a template of an open model writes it: one `<|im_start|>` and one `<|im_end|>` for every turn."""
    turns = "".join(
        f"<|im_start|>{message.role}\n{''.join(map(_written, message.parts))}<|im_end|>\n"
        for message in prompt.messages
    )
    tools = "".join(f"{tool.name}: {tool.description} {_unescaped(tool.parameters)}\n" for tool in prompt.tools)
    return f"{tools}{turns}"


def _written(part: Part) -> str:
    match part:
        case TextPart():
            return part.text
        case ToolCallPart():
            return f"{part.name} {part.call_id} {_unescaped(part.arguments)}"
        case ToolResultPart():
            return f"{part.name} {part.call_id} {part.text}"
        case _:
            return ""


def _unescaped(text: str) -> str:
    """JSON the way a template prints a value it has read: without escapes for characters that need none."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return text


_WORD = re.compile(r"\s+|\w{1,6}|[^\w\s]")


def count_bytes(text: str) -> int:
    """One token a byte."""
    return len(text.encode())


def count_words(text: str) -> int:
    """Runs of space, pieces of words, single symbols; like real pre-tokenizers it cuts before `<` and `[`."""
    return len(_WORD.findall(text))


def count_quarters(text: str) -> int:
    """Whole fours of bytes: the sum of parts is less than the whole, so that parts must not be believed."""
    return len(text.encode()) // 4


def count_ceilings(text: str) -> int:
    """Fours of bytes, rounded up: the sum of parts is more than the whole."""
    return -(-len(text.encode()) // 4)


MEASURES: dict[str, Callable[[str], int]] = {
    "bytes": count_bytes,
    "words": count_words,
    "quarters": count_quarters,
    "ceilings": count_ceilings,
}
ADDITIVE = frozenset({"bytes", "words"})


def defined(name: str, form: Form = Form.TEXT, margin: float = 0.0) -> DefinedProfile:
    """The profile of a measure by its name."""
    return DefinedProfile(name=name, measure=MEASURES[name], form=form, margin=margin)
