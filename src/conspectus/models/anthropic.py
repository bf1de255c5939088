"""Anthropic's messages shape: the constants its models are estimated by, and the body its clients send.

The frame of a message was measured by S. Land (ctok 1.1.0, "On the biology of Claude's tokenizer"); tools bring a
system prompt of 346 tokens (Anthropic's documentation, "Tool use", pricing).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

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

_FORM = "anthropic"
_EARLIER = "(The conversation began earlier.)"
Record = dict[str, Any]


def anthropic_rules(image: ImageRule) -> FramingRules:
    """The constants, with what a picture costs this model."""
    return FramingRules(
        revision="anthropic-framing-1",
        per_prompt=4,
        per_turn=4,
        per_call=16,
        per_result=16,
        tools_opening=346,
        tool_text=_tool_text,
        tool_factor=1.1,
        image=image,
        adapt=opened_by_user,
    )


def opened_by_user(prompt: Prompt) -> Prompt:
    """The prompt with a turn of the user in front where the assistant would speak first, which the API refuses."""
    first = next((n for n, message in enumerate(prompt.messages) if message.role is not Role.SYSTEM), None)
    if first is None or prompt.messages[first].role is not Role.ASSISTANT:
        return prompt
    opening = Message(role=Role.USER, parts=(TextPart(text=_EARLIER),))
    return replace(prompt, messages=(*prompt.messages[:first], opening, *prompt.messages[first:]))


def anthropic_body(prompt: Prompt, model: str, output: int) -> str:
    """The body of a message; `output` is its `max_tokens`, left out where it is 0, as when only counting.

    Raises:
        IncompatibleSpec: a part has no place in this shape.
    """
    turns = [message for message in prompt.messages if message.role is not Role.SYSTEM]
    body: Record = {"model": model}
    if output:
        body["max_tokens"] = output
    system = "\n\n".join(message.text for message in prompt.messages if message.role is Role.SYSTEM)
    if system:
        body["system"] = system
    body["messages"] = _turns(turns)
    if prompt.tools:
        body["tools"] = [_tool(tool) for tool in prompt.tools]
    return written(body)


def _turns(messages: Sequence[Message]) -> list[Record]:
    """Results are the user's; consecutive turns of one role are one, results first, as the API wants them."""
    records: list[Record] = []
    for message in messages:
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        parts = sorted(message.parts, key=lambda part: not isinstance(part, ToolResultPart))
        content = [_part(part) for part in parts if not (isinstance(part, TextPart) and not part.text.strip())]
        if records and records[-1]["role"] == role:
            records[-1]["content"].extend(content)
        elif content:
            records.append({"role": role, "content": content})
    return records


def _part(part: Part) -> Record | msgspec.Raw:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case SealedPart() if part.provider == _FORM:
            return raw_json(part.raw, part.block_type)
        case ToolCallPart():
            return {"type": "tool_use", "id": part.call_id, "name": part.name, "input": _input(part.arguments)}
        case ToolResultPart():
            content: list[Record] = [{"type": "text", "text": part.text}] if part.text else []
            content.extend(_image(image) for image in part.images)
            error = {"is_error": True} if part.is_error else {}
            return {"type": "tool_result", "tool_use_id": part.call_id, "content": content, **error}
        case ImagePart():
            return _image(part)
        case _:
            raise no_place(part, _FORM)


def _image(image: ImagePart) -> Record:
    if image.url:
        return {"type": "image", "source": {"type": "url", "url": image.url}}
    return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.data}}


def _input(arguments: str) -> object:
    """Arguments as the object the API wants, byte for byte; what is no object travels as text under one key."""
    try:
        msgspec.json.decode(arguments, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return {"arguments": arguments}
    return msgspec.Raw(arguments.encode())


def _tool(tool: ToolSchema) -> Record:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": raw_json(tool.parameters, tool.name),
    }


def _tool_text(tool: ToolSchema) -> str:
    return written(_tool(tool))
