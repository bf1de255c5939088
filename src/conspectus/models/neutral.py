"""Our own shape of a payload: the text as it stands, or turns and tools as plain JSON; no provider's."""

from typing import Any

import msgspec

from conspectus.core.message import ImagePart, Part, Prompt, TextPart, ToolCallPart, ToolResultPart
from conspectus.errors import IncompatibleSpec

Record = dict[str, Any]


def text_body(prompt: Prompt) -> str:
    """The text of a prompt that is one text.

    Raises:
        IncompatibleSpec: it has turns or tools, which the text form has no place for.
    """
    if prompt.messages or prompt.tools:
        raise IncompatibleSpec("form", "the text form has no place for turns and tools; choose json")
    return prompt.text


def json_body(prompt: Prompt) -> str:
    """Turns and tools, each part with its type.

    Raises:
        IncompatibleSpec: a part is sealed for a provider, or a tool's parameters are no JSON.
    """
    body: Record = {
        "messages": [
            {"role": message.role.value, "content": [_part(part) for part in message.parts]}
            for message in prompt.messages
        ],
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": raw_json(tool.parameters, tool.name)}
            for tool in prompt.tools
        ],
    }
    return written(body)


def written(body: Record) -> str:
    """A body as JSON text on one line; raw parts stay byte for byte."""
    return msgspec.json.encode(body).decode() + "\n"


def raw_json(text: str, what: str) -> msgspec.Raw:
    """`text` to be sent byte for byte, once it is known to be JSON.

    Raises:
        IncompatibleSpec: it is none.
    """
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise IncompatibleSpec("message", f"{what} is no JSON and cannot be sent as it is: {error}") from error
    return msgspec.Raw(text.encode())


def no_place(part: object, form: str) -> IncompatibleSpec:
    """The refusal of a part that a form cannot carry."""
    provider = getattr(part, "provider", "")
    sealed = f" sealed for {provider}" if provider else ""
    return IncompatibleSpec("form", f"{form} has no place for a {type(part).__name__}{sealed}; leave it out")


def _part(part: Part) -> Record:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ToolCallPart():
            return {"type": "tool_call", "id": part.call_id, "name": part.name, "arguments": part.arguments}
        case ToolResultPart():
            result: Record = {"type": "tool_result", "id": part.call_id, "text": part.text, "is_error": part.is_error}
            if part.name:
                result["name"] = part.name
            if part.images:
                result["images"] = [_part(image) for image in part.images]
            return result
        case ImagePart():
            fields = ("media_type", "data", "url", "width", "height", "detail")
            return {"type": "image", **{name: value for name in fields if (value := getattr(part, name))}}
        case _:
            raise no_place(part, "json")
