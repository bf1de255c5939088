"""One record as a turn, in OpenAI's chat shape or Anthropic's, whichever it is; it looks at no other record."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from conspectus.core.message import Part, Role, SealedPart, TextPart, ToolCallPart, ToolResultPart
from conspectus.sources.history.blocks import OPENAI, Reader
from conspectus.sources.history.document import NULL, Record
from conspectus.sources.history.turns import Turn
from conspectus.sources.reading import moment_of

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
_LONGEST_NAME = 40
_CALLS = ("tool_calls", "invalid_tool_calls")
_OPENAI_ONLY = (*_CALLS, "function_call", "tool_call_id", "refusal", *_REASONING)
_MOMENTS = ("timestamp", "created_at")
_USED = ("role", "content", "name", "is_error", *_MOMENTS, *_OPENAI_ONLY)
_METADATA = frozenset(
    {"cache_control", "container", "created", "finish_reason", "id", "index", "logprobs", "metadata", "model", "object"}
    | {"status", "stop_reason", "stop_sequence", "type", "usage", "uuid", "weight"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A turn, and the names of what its record holds that no turn has a place for."""

    turn: Turn
    ignored: tuple[str, ...] = ()


class _Function(msgspec.Struct, frozen=True):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b'""')


class _Call(msgspec.Struct, frozen=True, kw_only=True):
    id: str | None = None
    type: str | None = None
    function: _Function | None = None
    name: str | None = None
    args: msgspec.Raw = msgspec.Raw(b'""')


def read_turn(record: Record) -> Said:
    """The turn of a record.

    Raises:
        InputError: it is no turn, mixes the two shapes, or holds a block of a kind that is not known here.
    """
    reader = Reader(record)
    given = _role(record)
    role = _ROLES[given]
    if given in ("developer", "tool", "function"):
        reader.meets(OPENAI, f"role `{given}`")
    for name in _OPENAI_ONLY:
        if record.holds(name):
            reader.meets(OPENAI, name)
    reader.passes(record.fields, _USED, _METADATA, "")
    parts = _result(reader) if role is Role.TOOL else _spoken(reader)
    _check_places(reader, role, parts)
    turn = Turn(
        number=record.number,
        line=record.line,
        role=role,
        parts=parts,
        observed_at=_moment(record),
        quoted=role is Role.SYSTEM,
    )
    return Said(turn=turn, ignored=tuple(reader.ignored))


def _role(record: Record) -> str:
    if "message" in record.fields and "role" not in record.fields:
        found = "holds a turn of its own" if record.holds("message") else "holds no turn"
        raise record.fault(f"{found}; give the turn itself on this line, with `role` and `content`", "message")
    given = record.optional("role", str)
    if given is None:
        raise record.fault(f"is missing; a turn has one of {', '.join(_ROLES)}", "role")
    if given not in _ROLES:
        raise record.fault(f"unknown role {given[:_LONGEST_NAME]!r}; known: {', '.join(_ROLES)}", "role")
    return given


def _spoken(reader: Reader) -> tuple[Part, ...]:
    """What was thought, said and called, in this order; a name that is no tool's has no place."""
    record = reader.record
    thoughts = tuple(
        SealedPart(raw=record.fields[name].decode(), provider="openai-reasoning", block_type=name)
        for name in _REASONING
        if record.holds(name)
    )
    refusal = record.optional("refusal", str)
    refused = (TextPart(text=refusal),) if refusal else ()
    if record.holds("name"):
        reader.ignored.append("name")
    return (*thoughts, *reader.content(record.fields.get("content", NULL), "content"), *refused, *_calls(reader))


def _result(reader: Reader) -> tuple[Part, ...]:
    record = reader.record
    text, images = reader.result(record.fields.get("content", NULL), "content")
    return (
        ToolResultPart(
            call_id=record.optional("tool_call_id", str) or "",
            name=record.optional("name", str) or "",
            is_error=bool(record.optional("is_error", bool)),
            text=text,
            images=images,
        ),
    )


def _calls(reader: Reader) -> tuple[Part, ...]:
    """The calls of a turn: today's field, those whose arguments could not be read, and the one call of old."""
    record = reader.record
    calls = [
        _call(reader, bytes(raw), f"{name}[{place}]")
        for name in _CALLS
        for place, raw in enumerate(record.optional(name, list[msgspec.Raw]) or ())
    ]
    old = record.optional("function_call", _Function)
    if old is not None:
        calls.append(reader.call("", old.name, bytes(old.arguments), "function_call"))
    return tuple(calls)


def _call(reader: Reader, raw: bytes, place: str) -> Part:
    call = reader.record.decode(raw, _Call, place)
    if call.type not in (None, "function", "tool_call", "invalid_tool_call"):
        raise reader.record.fault(f"unknown kind of call {call.type!r}; known: function", f"{place}.type")
    if call.function:
        return reader.call(call.id, call.function.name, bytes(call.function.arguments), f"{place}.function")
    return reader.call(call.id, call.name or "", bytes(call.args), place)


def _check_places(reader: Reader, role: Role, parts: tuple[Part, ...]) -> None:
    """Refuse calls that no assistant made, and results that an assistant gave itself."""
    if role is not Role.ASSISTANT and any(isinstance(part, ToolCallPart | SealedPart) for part in parts):
        raise reader.record.fault(f"a turn of {role} neither thinks nor calls", "content")
    if role in (Role.ASSISTANT, Role.SYSTEM) and any(isinstance(part, ToolResultPart) for part in parts):
        raise reader.record.fault(f"a turn of {role} holds no results", "content")


def _moment(record: Record) -> datetime | None:
    for name in _MOMENTS:
        raw = record.fields.get(name, NULL)
        if raw != NULL:
            value = record.decode(raw, str, name) if raw.startswith(b'"') else record.decode(raw, float, name)
            return moment_of(value, record.path, record.line, name)
    return None
