"""Bodies in each form from the neutral prompt: bytes a provider's client accepts as they are; it counts nothing."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import msgspec

from conspectus.core.call import Form
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
from conspectus.errors import IncompatibleSpec

Record = dict[str, Any]


def encode(prompt: Prompt, form: Form, model: str, output: int) -> str:
    """The body of `prompt` in `form`; `output` tokens are asked for where the provider wants to be told.

    Raises:
        IncompatibleSpec: a sealed block of another provider, or a kind of part the form has no place for.
    """
    if form is Form.TEXT:
        return prompt.text
    body = _BODIES[form](prompt, model, output)
    return msgspec.json.encode(body).decode() + "\n"


def openai_messages(messages: Iterable[Message]) -> list[Record]:
    """The turns in OpenAI's chat shape."""
    return [record for message in messages for record in _openai_turn(message)]


def openai_tools(tools: Iterable[ToolSchema]) -> list[Record]:
    """The tools in OpenAI's chat shape."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": json.loads(tool.parameters),
            },
        }
        for tool in tools
    ]


def _openai_body(prompt: Prompt, model: str, output: int) -> Record:
    body: Record = {"model": model, "messages": openai_messages(prompt.messages)}
    if prompt.tools:
        body["tools"] = openai_tools(prompt.tools)
    if output:
        body["max_completion_tokens"] = output
    return body


def _json_body(prompt: Prompt, model: str, output: int) -> Record:
    messages = openai_messages(prompt.messages)
    return {"model": model, "output_reserve": output, "messages": messages, "tools": openai_tools(prompt.tools)}


def _openai_turn(message: Message) -> list[Record]:
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    rest = [part for part in message.parts if not isinstance(part, ToolResultPart)]
    records: list[Record] = [{"role": "tool", "tool_call_id": part.call_id, "content": part.text} for part in results]
    images = [image for part in results for image in part.images]
    calls = [part for part in rest if isinstance(part, ToolCallPart)]
    content = [_openai_part(part) for part in (*rest, *images) if not isinstance(part, ToolCallPart)]
    if content or calls:
        role = "user" if message.role is Role.TOOL else message.role.value
        record: Record = {"role": role, "content": _plain(content)}
        if calls:
            record["tool_calls"] = [_openai_call(call) for call in calls]
        records.append(record)
    return records


def _plain(content: list[Record]) -> str | list[Record] | None:
    """Text alone as a string, which every server takes; parts only where there is more than text."""
    if all(part["type"] == "text" for part in content):
        return "".join(part["text"] for part in content) or None
    return content


def _openai_call(call: ToolCallPart) -> Record:
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _openai_part(part: Part) -> Record:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            url = part.url or f"data:{part.media_type};base64,{part.data}"
            detail = {"detail": part.detail} if part.detail else {}
            return {"type": "image_url", "image_url": {"url": url, **detail}}
        case _:
            raise _no_place(part, "openai")


def _no_place(part: object, form: str) -> IncompatibleSpec:
    sealed = f" sealed for {part.provider}" if isinstance(part, SealedPart) else ""
    return IncompatibleSpec("form", f"{form} has no place for a {type(part).__name__}{sealed}")


def _anthropic_body(prompt: Prompt, model: str, output: int) -> Record:
    system = "\n\n".join(m.text for m in prompt.messages if m.role is Role.SYSTEM)
    turns = [message for message in prompt.messages if message.role is not Role.SYSTEM]
    body: Record = {"model": model, "max_tokens": output or 1024, "messages": _anthropic_turns(turns)}
    if system:
        body["system"] = system
    if prompt.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": json.loads(tool.parameters)}
            for tool in prompt.tools
        ]
    return body


def _anthropic_turns(messages: Sequence[Message]) -> list[Record]:
    """Turns in Anthropic's shape; results are the user's, and consecutive turns of one role are one."""
    records: list[Record] = []
    for message in messages:
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        content = [_anthropic_part(part) for part in message.parts]
        if records and records[-1]["role"] == role:
            records[-1]["content"].extend(content)
        else:
            records.append({"role": role, "content": content})
    return records


def _anthropic_part(part: Part) -> Record | msgspec.Raw:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case SealedPart() if part.provider == "anthropic":
            return msgspec.Raw(part.raw.encode())
        case ToolCallPart():
            return {"type": "tool_use", "id": part.call_id, "name": part.name, "input": _object(part.arguments)}
        case ToolResultPart():
            content: list[Record] = [{"type": "text", "text": part.text}] if part.text else []
            content.extend(_anthropic_image(image) for image in part.images)
            error = {"is_error": True} if part.is_error else {}
            return {"type": "tool_result", "tool_use_id": part.call_id, "content": content, **error}
        case ImagePart():
            return _anthropic_image(part)
        case _:
            raise _no_place(part, "anthropic")


def _anthropic_image(part: ImagePart) -> Record:
    if part.url:
        return {"type": "image", "source": {"type": "url", "url": part.url}}
    return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": part.data}}


def _object(arguments: str) -> Record:
    """Arguments as the object Anthropic wants; what is no object travels under one key."""
    try:
        value = json.loads(arguments)
    except ValueError:
        value = arguments
    return cast("Record", value) if isinstance(value, dict) else {"arguments": value}


_BODIES: dict[Form, Callable[[Prompt, str, int], Record]] = {
    Form.JSON: _json_body,
    Form.OPENAI: _openai_body,
    Form.ANTHROPIC: _anthropic_body,
}
