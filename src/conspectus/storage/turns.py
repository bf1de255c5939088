"""Turns of a chat as JSON and back, each part under the name of its type; no provider's wire form."""

import msgspec

from conspectus.core.message import ImagePart, Message, Part, Role, SealedPart, TextPart, ToolCallPart, ToolResultPart

_TYPES: dict[str, type[Part]] = {
    "text": TextPart,
    "image": ImagePart,
    "call": ToolCallPart,
    "result": ToolResultPart,
    "sealed": SealedPart,
}
_NAMES = {part: name for name, part in _TYPES.items()}
_Turns = list[tuple[Role, list[tuple[str, msgspec.Raw]]]]


def encode_turns(messages: tuple[Message, ...]) -> bytes:
    """The turns as one JSON document: `[[role, [[type, part], ...]], ...]`."""
    return msgspec.json.encode(
        [(message.role, [(_NAMES[type(part)], part) for part in message.parts]) for message in messages]
    )


def decode_turns(data: bytes) -> tuple[Message, ...]:
    """The turns of a document made by `encode_turns`.

    Raises:
        msgspec.ValidationError: it is JSON of another shape.
        msgspec.DecodeError: it is no JSON.
    """
    turns = msgspec.json.decode(data, type=_Turns)
    return tuple(Message(role=role, parts=tuple(_part(name, raw) for name, raw in parts)) for role, parts in turns)


def _part(name: str, raw: msgspec.Raw) -> Part:
    if name not in _TYPES:
        raise msgspec.ValidationError(f"unknown part {name!r}")
    return msgspec.json.decode(raw, type=_TYPES[name])
