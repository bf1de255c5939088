"""Bytes a person names as text: files and pipes, bounded, strictly UTF-8 and strictly JSON; it knows no record."""

import difflib
import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from enum import EnumType
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import msgspec

from conspectus.errors import InputError
from conspectus.sources.pipes import PATIENCE, Patience, read_pipe
from conspectus.text.sanitize import sanitize

MAX_BYTES = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_BYTE = re.compile(r"\(byte (\d+)\)")
_NAMED = re.compile(r"(?:unknown|required) field `([^`]*)`")
_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.", re.DOTALL
)
_HALF = len(rb"\ud800")
_LAST_SECOND = 1e11
_PAIRS = json.JSONDecoder(object_pairs_hook=tuple, parse_int=str, parse_float=str)

Record = TypeVar("Record")


def read_bytes(path: Path, limit: int = MAX_BYTES, patience: Patience = PATIENCE) -> bytes:
    """The whole file, or all that comes out of a pipe, without a byte order mark.

    Raises:
        InputError: it is missing, neither a regular file nor a pipe, larger than `limit` bytes, or holds a NUL; or
            the pipe has no writer, or is not closed in time.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            about = os.fstat(descriptor)
            if stat.S_ISFIFO(about.st_mode):
                data = read_pipe(descriptor, path, limit, patience)
            elif not stat.S_ISREG(about.st_mode):
                raise InputError(str(path), "is neither a regular file nor a pipe; name one")
            elif about.st_size > limit:
                raise InputError(str(path), f"has {about.st_size:,} bytes; at most {limit:,} are read")
            else:
                data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(str(path), f"cannot be read: {reason}") from error
    if len(data) > limit:
        raise InputError(str(path), f"has grown to more than the {limit:,} bytes that are read")
    if b"\0" in data:
        raise InputError(str(path), "holds a NUL byte and is no text", line=line_at(data, data.index(b"\0")))
    return data.removeprefix(_BOM)


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """The whole file as text; line ends stay as they are.

    Raises:
        InputError: see `read_bytes`; or it is not UTF-8.
    """
    return decode_text(read_bytes(path, limit), path)


def decode_text(data: bytes, path: Path) -> str:
    """`data` as text.

    Raises:
        InputError: it is not UTF-8; the line is named.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_at(data, error.start)
        raise InputError(str(path), f"is not UTF-8: byte 0x{data[error.start]:02x}", line=line) from error


def line_at(data: bytes, offset: int) -> int:
    """The number, from 1, of the line that the byte at `offset` stands on."""
    return data.count(b"\n", 0, offset) + 1


def numbered_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank, with its number from 1."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line and not line.isspace():
            yield number, line


def decode_line(line: bytes, record: type[Record], path: Path, number: int, field: str = "") -> Record:
    """One JSON value, strictly; `field` is where in its record it stands.

    Raises:
        InputError: it is no JSON or no such record; line and field are named, a misspelt field gets a suggestion.
    """
    try:
        return msgspec.json.decode(line, type=record)
    except msgspec.ValidationError as error:
        message, place = _explained(str(error), record)
        raise InputError(str(path), message, line=number, field=_joined(field, place)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(str(path), _no_json(line, error), line=number, field=field) from error


def decode_document(data: bytes, record: type[Record], path: Path) -> Record:
    """A whole file as one JSON value, strictly.

    Raises:
        InputError: it is no JSON or no such record; the field is named, and the line where the JSON is broken.
    """
    try:
        return msgspec.json.decode(data, type=record)
    except msgspec.ValidationError as error:
        message, place = _explained(str(error), record)
        raise InputError(str(path), message, field=place) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        decode_text(data, path)  # msgspec does not say where a byte is wrong
        broken = _BYTE.search(str(error))
        line = line_at(data, int(broken[1]) if broken else len(data.rstrip()))
        raise InputError(str(path), _no_json(data, error), line=line) from error


def refuse_named_twice(data: bytes, path: Path, number: int | None = None, *, nested: bool = True) -> None:
    """Refuse JSON in which an object has one name twice: readers differ in which of the two they believe.

    Args:
        data: JSON that has been decoded.
        path: where it stands.
        number: its line, if it is one.
        nested: look into the objects and lists it holds, too.

    Raises:
        InputError: a name is given twice; the line and the field are named.
    """
    try:
        value = cast("_Json", _PAIRS.decode(data.decode()))
    except RecursionError as error:
        raise InputError(str(path), "is nested too deeply", line=number) from error
    twice = next(_named_twice(value, "", nested=nested), None)
    if twice is not None:
        raise InputError(str(path), "is given twice; keep one of them", line=number, field=twice)


_Json: TypeAlias = "tuple[tuple[str, _Json], ...] | list[_Json] | str | bool | None"
"""JSON whose objects are tuples of pairs and whose numbers are text."""


def _named_twice(value: _Json, place: str, *, nested: bool) -> Iterator[str]:
    """Fields that stand twice in one object."""
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _named_twice(inner, f"{place}[{index}]", nested=nested)
    elif isinstance(value, tuple):
        seen: set[str] = set()
        for name, inner in value:
            here = _joined(place, name)
            if name in seen:
                yield here
            seen.add(name)
            if nested:
                yield from _named_twice(inner, here, nested=nested)


def with_whole_characters(data: bytes) -> bytes:
    """JSON in which every escape that is half of a surrogate pair, and so no character, became U+FFFD.

    Text that was cut without regard to characters holds such halves.
    """
    if b"\\u" not in data:
        return data
    return _ESCAPES.sub(lambda found: rb"\ufffd" if _is_half(found[0]) else found[0], data)


def moment_of(value: str | float, path: Path, number: int, field: str) -> datetime:
    """A time in UTC from ISO 8601 text with a zone, or from seconds or milliseconds since 1970.

    Raises:
        InputError: it is no time, or has no zone.
    """
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if abs(value) >= _LAST_SECOND else value, UTC)
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(str(path), f"is no ISO 8601 time: {value!r}", line=number, field=field) from error
    message = f"{value!r} has no time zone; write it like 2026-01-31T09:00:00+08:00"
    raise InputError(str(path), message, line=number, field=field)


def deceives(name: str) -> bool:
    """Whether a name shows less than it holds: it has control or invisible characters."""
    if name.isascii():
        return not name.isprintable()
    return bool(sanitize(name).removals) or "\n" in name or "\t" in name


def closest(name: str, known: Sequence[str], *, likeness: float = 0.6) -> str:
    """The one of `known` that `name` is probably a misspelling of, or nothing."""
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=likeness)), "")


def _is_half(escape: bytes) -> bool:
    return len(escape) == _HALF and escape[1:2] == b"u"


def _no_json(data: bytes, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return f"is not UTF-8: byte 0x{data[wrong.start]:02x}"
    if with_whole_characters(data) != data:
        return r"holds half a character: one \u escape of a pair of two"
    return f"is no JSON: {error}"


def _explained(message: str, record: Any) -> tuple[str, str]:  # noqa: ANN401 - any type that msgspec decodes
    """What is wrong, with a suggestion where a name is misspelt, and the field."""
    fault, _, place = message.partition(" - at `$")
    place = place.strip("`.")
    named = _NAMED.search(fault)
    names = _field_names(record)
    if named and "unknown" in fault:
        near = closest(named[1], names)
        hint = f"; did you mean `{near}`?" if near else f"; known: {', '.join(names)}" if names else ""
    else:
        hint = _choices(record, place) if "enum" in fault else ""
    return fault + hint, _joined(place, named[1]) if named else place


def _field_names(record: Any) -> list[str]:  # noqa: ANN401
    if isinstance(record, type) and issubclass(record, msgspec.Struct):
        return [field.encode_name for field in msgspec.structs.fields(record)]
    return []


def _choices(record: Any, place: str) -> str:  # noqa: ANN401
    if not _field_names(record):
        return ""
    kinds = (field.type for field in msgspec.structs.fields(record) if field.encode_name == place)
    return "".join(f"; known: {', '.join(str(one.value) for one in kind)}" for kind in kinds if _is_enum(kind))


def _is_enum(kind: Any) -> bool:  # noqa: ANN401
    return isinstance(kind, EnumType)


def _joined(outer: str, inner: str) -> str:
    return f"{outer}.{inner}" if outer and inner and not inner.startswith("[") else outer + inner
