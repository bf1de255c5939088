"""OpenAI's chat shape: the constants its models count by, and the body its clients send.

Constants: OpenAI's cookbook, "How to count tokens with tiktoken": 3 tokens and the role a message, 3 for the reply.
What surrounds calls and results is not published; 8 and 3 tokens are more than any measurement we know of.
"""

from collections.abc import Iterable
from typing import Any

from conspectus.core.message import (
    ImagePart,
    Message,
    Part,
    Prompt,
    Role,
    SealedPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSchema,
)
from conspectus.models.framing import FramingRules
from conspectus.models.images import ImageRule
from conspectus.models.neutral import no_place, raw_json, written
from conspectus.models.typescript import described

MARGIN = 0.05
"""Turns of text come out exact; what is left is calls, results, and the few tokens newer models put before a chat."""

_FORM = "openai"
Record = dict[str, Any]


def openai_rules(image: ImageRule) -> FramingRules:
    """The constants, with what a picture costs this model."""
    return FramingRules(
        revision="openai-framing-1",
        per_prompt=3,
        per_turn=3,
        per_call=8,
        per_result=3,
        tools_opening=16,
        tool_text=described,
        tool_factor=1.1,
        image=image,
        adapt=_as_it_is,
    )


def openai_body(prompt: Prompt, model: str, output: int) -> str:
    """The body of a chat completion; `output` tokens are asked for where it is not 0.

    Raises:
        IncompatibleSpec: a part has no place in this shape.
    """
    body: Record = {"model": model, "messages": openai_messages(prompt.messages)}
    if prompt.tools:
        body["tools"] = openai_tools(prompt.tools)
    if output:
        body["max_completion_tokens"] = output
    return written(body)


def openai_messages(messages: Iterable[Message]) -> list[Record]:
    """The turns; results become turns of their own, all of them right behind their calls.

    A tool's turn carries text alone, so the pictures that tools returned follow in a turn of the user.
    """
    records: list[Record] = []
    pictures: list[ImagePart] = []
    for message in messages:
        if pictures and message.role is not Role.TOOL:
            records.append(_shown(pictures))
            pictures = []
        records.extend(_turns(message))
        pictures.extend(image for part in message.parts if isinstance(part, ToolResultPart) for image in part.images)
    return [*records, _shown(pictures)] if pictures else records


def openai_tools(tools: Iterable[ToolSchema]) -> list[Record]:
    """The tools, their parameters byte for byte."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": raw_json(tool.parameters, tool.name),
            },
        }
        for tool in tools
    ]


def _as_it_is(prompt: Prompt) -> Prompt:
    return prompt


def _turns(message: Message) -> list[Record]:
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    rest = [part for part in message.parts if not isinstance(part, ToolResultPart)]
    records: list[Record] = [
        {"role": "tool", "tool_call_id": result.call_id, "content": result.text} for result in results
    ]
    calls = [part for part in rest if isinstance(part, ToolCallPart)]
    content = [_content(part) for part in rest if not isinstance(part, ToolCallPart)]
    if content or calls or not results:
        role = Role.USER if message.role is Role.TOOL else message.role
        record: Record = {"role": role.value, "content": _plain(message, content)}
        if calls:
            record["tool_calls"] = [_call(call) for call in calls]
        records.append(record)
    return records


def _shown(pictures: Iterable[ImagePart]) -> Record:
    return {"role": Role.USER.value, "content": [_content(picture) for picture in pictures]}


def _plain(message: Message, content: list[Any]) -> str | list[Any] | None:
    """Text alone as a string, which every server takes; parts only where there is more than text."""
    if all(isinstance(part, TextPart | ToolCallPart | ToolResultPart) for part in message.parts):
        return message.text or (None if message.role is Role.ASSISTANT else "")
    return content


def _call(call: ToolCallPart) -> Record:
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _content(part: Part) -> object:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            url = part.url or f"data:{part.media_type};base64,{part.data}"
            detail = {"detail": part.detail} if part.detail else {}
            return {"type": "image_url", "image_url": {"url": url, **detail}}
        case SealedPart() if part.provider == _FORM:
            return raw_json(part.raw, part.block_type)
        case _:
            raise no_place(part, _FORM)
