"""Neutral turns as the dictionaries chat templates are written for; it changes no words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from conspectus.core.message import ImagePart, Message, Part, Role, TextPart, ToolCallPart, ToolResultPart, ToolSchema
from conspectus.errors import IncompatibleSpec
from conspectus.models.local.template import Turn
from conspectus.models.typescript import parameters_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How a template wants details spelled.

    Attributes:
        arguments_as_text: a call's arguments as JSON text instead of an object.
    """

    arguments_as_text: bool = False


def spelled(messages: Sequence[Message], spelling: Spelling) -> list[Turn]:
    """The turns, every result one of its own.

    Raises:
        IncompatibleSpec: a part that chat templates know no word for.
    """
    return [turn for message in messages for turn in _turns(message, spelling)]


def spelled_tools(tools: Sequence[ToolSchema]) -> list[Turn]:
    """The tools as OpenAI's dictionaries, which is what templates are written for.

    Raises:
        IncompatibleSpec: a tool's parameters are no JSON object.
    """
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": parameters_of(tool)},
        }
        for tool in tools
    ]


def _turns(message: Message, spelling: Spelling) -> list[Turn]:
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
    rest = [part for part in message.parts if not isinstance(part, ToolCallPart | ToolResultPart)]
    turns = [_result(result) for result in results]
    text = "".join(map(_text, rest))
    if rest or calls or not results:
        role = Role.USER if message.role is Role.TOOL else message.role
        turn: Turn = {"role": role.value, "content": text}
        if calls:
            turn["tool_calls"] = [_call(call, spelling) for call in calls]
        turns.append(turn)
    return turns


def _result(result: ToolResultPart) -> Turn:
    if result.images:
        raise _unknown(result.images[0])
    turn: Turn = {"role": Role.TOOL.value, "tool_call_id": result.call_id, "content": result.text}
    return {**turn, "name": result.name} if result.name else turn


def _call(call: ToolCallPart, spelling: Spelling) -> Turn:
    arguments: object = call.arguments
    if not spelling.arguments_as_text:
        try:
            arguments = msgspec.json.decode(call.arguments, type=dict[str, Any])
        except (msgspec.DecodeError, msgspec.ValidationError):
            arguments = call.arguments  # what is no object stays the text it came as
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _text(part: Part) -> str:
    if isinstance(part, TextPart):
        return part.text
    raise _unknown(part)


def _unknown(part: object) -> IncompatibleSpec:
    what = "a picture" if isinstance(part, ImagePart) else f"a {type(part).__name__}"
    return IncompatibleSpec("chat template", f"what {what} costs this model is not known; leave it out")
