"""What each candidate costs in the payload: its block or turns, and their exact tokens; it weighs no values."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from re import Pattern

import numpy as np
from numpy.typing import NDArray

from conspectus.assembly.fence import escape_points, frame, in_line, inside, neutralise
from conspectus.assembly.layout import section_of
from conspectus.assembly.table import Context, Priced, Rendition
from conspectus.core.call import Form
from conspectus.core.canonical import Plain
from conspectus.core.item import ContextItem, Kind
from conspectus.core.message import Message, Part, Role, SealedPart, TextPart, ToolCallPart, ToolResultPart, ToolSchema
from conspectus.core.ports import ModelProfile
from conspectus.text.sanitize import sanitize

_CALLABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SCHEMAS = ("parameters", "input_schema", "inputSchema")


def price(items: Sequence[ContextItem], context: Context, profile: ModelProfile) -> Priced:
    """Render every item for the profile's form and count what it adds."""
    points = escape_points(profile.control_strings)
    renditions = tuple(render(item, context, profile.form, points) for item in items)
    return Priced(items=tuple(items), renditions=renditions, tokens=count(renditions, profile))


def render(item: ContextItem, context: Context, form: Form, points: Pattern[str]) -> Rendition:
    """The form one item takes."""
    label = context.conflict.get(item.item_id, "")
    section = section_of(item, bool(label))
    if form is not Form.TEXT:
        if _is_native(item, form, context):
            turns = native_turns(item.messages, form, points)
            if turns:
                return Rendition(turns=turns, section=section)
        elif item.kind is Kind.TOOL_SCHEMA:
            tool = tool_schema(item, points)
            return Rendition(block=f"[tool] {tool.name}\n\n", tool=tool, section=section)
    twins = context.twins.get(item.item_id, ())
    return Rendition(block=frame(item, points, twins=twins, conflict=label), section=section)


def _is_native(item: ContextItem, form: Form, context: Context) -> bool:
    """Whether every provider of this form takes the item's turns as they are; what it refuses is written as data.

    No system turn comes from data. A call has a name a provider could have declared, and Anthropic takes exchanges
    only beside declared tools.
    """
    parts = [part for message in item.messages for part in message.parts]
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    if any(message.role is Role.SYSTEM for message in item.messages):
        return False
    if calls and form is Form.ANTHROPIC and not context.has_tools:
        return False
    return bool(parts) and all(_CALLABLE.fullmatch(call.name) for call in calls)


def count(renditions: Sequence[Rendition], profile: ModelProfile) -> NDArray[np.int64]:
    """Tokens each rendition adds to a payload of the profile's form."""
    tokens = profile.count_blocks([rendition.block for rendition in renditions])
    native = [index for index, rendition in enumerate(renditions) if rendition.turns]
    if native:
        tokens[native] += profile.count_turns([renditions[index].turns for index in native])
    tooled = [(index, tool) for index, rendition in enumerate(renditions) if (tool := rendition.tool)]
    if tooled:
        tokens[[index for index, _ in tooled]] += profile.count_tools([tool for _, tool in tooled])
    return tokens


def tool_schema(item: ContextItem, points: Pattern[str]) -> ToolSchema:
    """The tool a checked item declares, whichever of the usual spellings it uses, its text clean and neutralised."""
    declared = json.loads(item.content)
    nothing: Plain = {"type": "object", "properties": {}}
    schema = next((found for name in _SCHEMAS if (found := declared.get(name))), nothing)
    return ToolSchema(
        name=str(declared["name"]),
        description=_neutral(str(declared.get("description") or ""), points),
        parameters=json.dumps(_neutral_json(schema, points), ensure_ascii=False, separators=(",", ":")),
    )


def _neutral(text: str, points: Pattern[str]) -> str:
    return neutralise(sanitize(text).text, points)


def _neutral_json(value: Plain, points: Pattern[str]) -> Plain:
    """A JSON value with every string and key clean and neutralised: no JSON escape hides anything."""
    match value:
        case str():
            return _neutral(value, points)
        case list():
            return [_neutral_json(part, points) for part in value]
        case dict():
            return {_neutral(key, points): _neutral_json(part, points) for key, part in value.items()}
        case _:
            return value


def _arguments(text: str, points: Pattern[str]) -> str:
    """Arguments of a call: their strings neutralised where they are JSON, else the text as a whole."""
    try:
        value = json.loads(text)
    except ValueError:
        return _neutral(text, points)
    neutral = _neutral_json(value, points)
    return text if neutral == value else json.dumps(neutral, ensure_ascii=False)


def native_turns(messages: Sequence[Message], form: Form, points: Pattern[str]) -> tuple[Message, ...]:
    """The turns with their text neutralised; blocks sealed for another provider are dropped whole."""
    turns = (replace(message, parts=_native_parts(message.parts, form, points)) for message in messages)
    return tuple(turn for turn in turns if turn.parts)


def _native_parts(parts: Sequence[Part], form: Form, points: Pattern[str]) -> tuple[Part, ...]:
    return tuple(chain.from_iterable(_native_part(part, form, points) for part in parts))


def _native_part(part: Part, form: Form, points: Pattern[str]) -> tuple[Part, ...]:
    match part:
        case SealedPart():
            return (part,) if part.provider == form.value else ()
        case TextPart():
            return (replace(part, text=inside(part.text, points)),)
        case ToolResultPart():
            return (replace(part, text=inside(part.text, points), name=in_line(part.name, points)),)
        case ToolCallPart():
            arguments = _arguments(part.arguments, points)
            return (replace(part, name=in_line(part.name, points), arguments=arguments),)
        case _:
            return (part,)
