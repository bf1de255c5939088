"""What each candidate costs in the payload: its block or turns, and their exact tokens; it weighs no values."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from re import Pattern

import msgspec
import numpy as np
from numpy.typing import NDArray

from conspectus.assembly.fence import escape_points, frame, neutralise
from conspectus.assembly.layout import section_of
from conspectus.assembly.table import Context, Priced, Rendition
from conspectus.core.call import Form
from conspectus.core.item import ContextItem, Kind
from conspectus.core.message import (
    Message,
    Part,
    SealedPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSchema,
)
from conspectus.core.ports import ModelProfile
from conspectus.errors import InputError


def price(items: Sequence[ContextItem], context: Context, profile: ModelProfile) -> Priced:
    """Render every item for the profile's form and count what it adds.

    Raises:
        InputError: a tool schema is no JSON object with a name.
    """
    points = escape_points(profile.control_strings)
    renditions = tuple(render(item, context, profile.form, points) for item in items)
    return Priced(items=tuple(items), renditions=renditions, tokens=count(renditions, profile))


def render(item: ContextItem, context: Context, form: Form, points: Pattern[str]) -> Rendition:
    """The form one item takes."""
    label = context.conflict.get(item.item_id, "")
    section = section_of(item, bool(label))
    if form is not Form.TEXT:
        if item.messages:
            turns = native_turns(item.messages, form, points)
            if turns:
                return Rendition(turns=turns, section=section)
        elif item.kind is Kind.TOOL_SCHEMA:
            tool = tool_schema(item)
            return Rendition(block=named(tool.name, points), tool=tool, section=section)
    twins = context.twins.get(item.item_id, ())
    return Rendition(block=frame(item, points, twins=twins, conflict=label), section=section)


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


def named(name: str, points: Pattern[str]) -> str:
    """The block that names a tool whose schema travels apart or not at all."""
    return f"[tool] {neutralise(name, points)}\n\n"


class _Declared(msgspec.Struct, frozen=True):
    name: str
    description: str = ""
    parameters: msgspec.Raw = msgspec.Raw(b"")
    input_schema: msgspec.Raw = msgspec.Raw(b"")
    inputSchema: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815


def tool_schema(item: ContextItem) -> ToolSchema:
    """The tool an item declares, whichever of the usual spellings it uses.

    Raises:
        InputError: the content is no JSON object with a name.
    """
    try:
        declared = msgspec.json.decode(item.content, type=_Declared)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise InputError(item.item_id, f"not a tool schema: {error}", field="content") from error
    raw = bytes(declared.parameters) or bytes(declared.input_schema) or bytes(declared.inputSchema)
    return ToolSchema(
        name=declared.name,
        description=declared.description,
        parameters=(raw or b'{"type":"object","properties":{}}').decode(),
    )


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
        case TextPart() | ToolResultPart():
            return (replace(part, text=neutralise(part.text, points)),)
        case ToolCallPart():
            return (replace(part, arguments=neutralise(part.arguments, points)),)
        case _:
            return (part,)
