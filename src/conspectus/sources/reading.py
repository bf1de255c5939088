"""Bytes a person names as text: regular files only, bounded, strictly UTF-8, line by line where they are long."""

import difflib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from conspectus.errors import InputError

MAX_BYTES = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"

Record = TypeVar("Record")


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The whole file, without a byte order mark.

    Raises:
        InputError: it is missing, no regular file, larger than `limit` bytes, or holds a NUL.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(str(path), f"cannot be read: {reason}") from error
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InputError(str(path), "is no regular file")
        if about.st_size > limit:
            raise InputError(str(path), f"has {about.st_size:,} bytes; at most {limit:,} are read")
        data = file.read(limit + 1)
    if b"\0" in data:
        raise InputError(str(path), "holds a NUL byte and is no text", line=data[: data.index(b"\0")].count(b"\n") + 1)
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
        line = data[: error.start].count(b"\n") + 1
        raise InputError(str(path), f"is not UTF-8: byte 0x{data[error.start]:02x}", line=line) from error


def numbered_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank, with its number from 1."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, line


def decode_line(line: bytes, record: type[Record], path: Path, number: int) -> Record:
    """One JSON record, strictly.

    Raises:
        InputError: it is no JSON or no such record; line and field are named, a misspelt field gets a suggestion.
    """
    try:
        return msgspec.json.decode(line, type=record)
    except UnicodeDecodeError as error:
        raise InputError(str(path), "is not UTF-8", line=number) from error
    except msgspec.ValidationError as error:
        message, _, field = str(error).partition(" - at `$")
        hint = _suggestion(message, record)
        raise InputError(str(path), message + hint, line=number, field=field.strip("`.")) from error
    except msgspec.DecodeError as error:
        raise InputError(str(path), f"is no JSON: {error}", line=number) from error


def _suggestion(message: str, record: type) -> str:
    if "unknown field" not in message:
        return ""
    wrong = message.rsplit("`", 2)[-2] if message.count("`") >= 2 else ""
    names = [field.encode_name for field in msgspec.structs.fields(record)]
    close = difflib.get_close_matches(wrong, names, n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; known: {', '.join(names)}"
