"""One line of a conversation, in OpenAI's or Anthropic's shape, read into neutral turns; unknown blocks are errors."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec

from conspectus.core.message import (
    ImagePart,
    Message,
    Part,
    Role,
    SealedPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from conspectus.errors import InputError

Block: TypeAlias = dict[str, Any]

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One turn with the number of the line it stands on, and when it was, if the line says so."""

    number: int
    message: Message
    observed_at: datetime | None = None


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    role: str
    content: msgspec.Raw = msgspec.Raw(b"null")
    tool_calls: list[Block] | None = None
    invalid_tool_calls: list[Block] | None = None
    function_call: Block | None = None
    tool_call_id: str | None = None
    name: str | None = None
    refusal: str | None = None
    timestamp: str | float | None = None
    created_at: str | float | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    number: int

    def fault(self, message: str, field: str) -> InputError:
        return InputError(str(self.path), message, line=self.number, field=field)


def read_line(raw: bytes, path: Path, number: int) -> Line:
    """The turn on one line.

    Raises:
        InputError: it is no turn, or holds a block of a kind that is not known here.
    """
    place = _Place(path, number)
    try:
        record = msgspec.json.decode(raw, type=_Record)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise place.fault(str(error), "") from error
    if record.role not in _ROLES:
        raise place.fault(f"unknown role {record.role!r}; known: {', '.join(_ROLES)}", "role")
    parts = (*_content(record, place), *_calls(record, place))
    message = Message(role=_ROLES[record.role], parts=parts)
    return Line(number=number, message=message, observed_at=_moment(record, place))


def _moment(record: _Record, place: _Place) -> datetime | None:
    given = record.timestamp if record.timestamp is not None else record.created_at
    if given is None or isinstance(given, float | int):
        return None
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as error:
        raise place.fault(f"is no ISO 8601 time: {given!r}", "timestamp") from error
    if moment.tzinfo is None:
        raise place.fault(f"{given!r} has no time zone", "timestamp")
    return moment


def _content(record: _Record, place: _Place) -> tuple[Part, ...]:
    raw = bytes(record.content)
    value = _decoded(raw, place)
    if _ROLES[record.role] is Role.TOOL:
        text, images = _result(value, place)
        call_id, name = record.tool_call_id or "", record.name or ""
        return (ToolResultPart(call_id=call_id, name=name, text=text, images=images),)
    refusal: tuple[Part, ...] = (TextPart(text=record.refusal),) if record.refusal else ()
    if value is None:
        return refusal
    if isinstance(value, str):
        return (*((TextPart(text=value),) if value else ()), *refusal)
    if not isinstance(value, list):
        raise place.fault("is neither text nor a list of blocks", "content")
    blocks = msgspec.json.decode(raw, type=list[msgspec.Raw])
    return (*(_block(bytes(block), place) for block in blocks), *refusal)


def _decoded(raw: bytes, place: _Place) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise place.fault(str(error), "content") from error


def _block(raw: bytes, place: _Place) -> Part:
    decoded: object = msgspec.json.decode(raw)
    if not isinstance(decoded, dict):
        raise place.fault("a block is an object with a type", "content")
    block = cast("Block", decoded)
    kind = block.get("type", "")
    if kind in _SEALED:
        return SealedPart(raw=raw.decode(), provider="anthropic", block_type=kind)
    if kind not in _BLOCKS:
        raise place.fault(f"unknown block {kind!r}; known: {', '.join((*_BLOCKS, *_SEALED))}", "content")
    return _BLOCKS[kind](block, place)


def _text(block: Block, place: _Place) -> Part:
    text = block.get("text", block.get("refusal"))
    if not isinstance(text, str):
        raise place.fault("a text block has a text", "content")
    return TextPart(text=text)


def _image(block: Block, place: _Place) -> ImagePart:
    source: Block = block.get("source") or {}
    given: object = block.get("image_url") or {}
    shown = cast("Block", given) if isinstance(given, dict) else {"url": given}
    url = str(shown.get("url", "")) or str(source.get("url", ""))
    detail = str(shown.get("detail", ""))
    if url.startswith("data:"):
        media_type, _, data = url[5:].partition(";base64,")
        return ImagePart(media_type=media_type, data=data, detail=detail)
    data = str(source.get("data", ""))
    if not url and not data:
        raise place.fault("an image block has a url or data", "content")
    return ImagePart(media_type=str(source.get("media_type", "")), data=data, url=url, detail=detail)


def _tool_use(block: Block, place: _Place) -> Part:  # noqa: ARG001 - one shape for every block
    arguments = json.dumps(block.get("input", {}), ensure_ascii=False)
    return ToolCallPart(call_id=str(block.get("id") or ""), name=str(block.get("name", "")), arguments=arguments)


def _tool_result(block: Block, place: _Place) -> Part:
    text, images = _result(block.get("content"), place)
    return ToolResultPart(
        call_id=str(block.get("tool_use_id") or ""), text=text, is_error=bool(block.get("is_error")), images=images
    )


_BLOCKS: dict[str, Callable[[Block, _Place], Part]] = {
    "text": _text,
    "input_text": _text,
    "output_text": _text,
    "refusal": _text,
    "image_url": _image,
    "image": _image,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
}
_SEALED = ("thinking", "redacted_thinking")


def _result(value: Any, place: _Place) -> tuple[str, tuple[ImagePart, ...]]:  # noqa: ANN401 - any JSON value
    """Text and pictures of what a tool returned."""
    if value is None:
        return "", ()
    if isinstance(value, str):
        return value, ()
    blocks = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(block, dict) for block in blocks):
        raise place.fault("a result is text or a list of blocks", "content")
    texts: list[str] = []
    images: list[ImagePart] = []
    for block in cast("list[Block]", blocks):
        match block.get("type"):
            case "text":
                texts.append(str(block.get("text", "")))
            case "image" | "image_url":
                images.append(_image(block, place))
            case other:
                raise place.fault(f"unknown block {other!r} in a result; known: text, image", "content")
    return "\n".join(texts), tuple(images)


def _calls(record: _Record, place: _Place) -> tuple[Part, ...]:
    calls = [*(record.tool_calls or ()), *(record.invalid_tool_calls or ())]
    if record.function_call:
        calls.append({"id": "", "function": record.function_call})
    return tuple(_call(call, place) for call in calls)


def _call(call: Block, place: _Place) -> Part:
    given = call.get("function", call)
    function = cast("Block", given) if isinstance(given, dict) else {}
    if not isinstance(function.get("name"), str):
        raise place.fault("a call has a function with a name", "tool_calls")
    arguments = function.get("arguments", function.get("args", ""))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCallPart(call_id=str(call.get("id") or ""), name=function["name"], arguments=text)
