"""The metadata at the head of a GGUF file, by the published layout of the format; its tensors are never touched.

Layout: github.com/ggml-org/ggml, docs/gguf.md.
"""

import mmap
import struct
from pathlib import Path
from typing import TypeAlias

from conspectus.core.canonical import digest
from conspectus.errors import InputError

Value: TypeAlias = "int | float | bool | str | list[Value]"

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")
_STRING, _ARRAY = 8, 9
_MOST_KEYS = 1 << 16


class _Reader:
    """A place in the file that moves on with every value read."""

    def __init__(self, path: str, data: mmap.mmap) -> None:
        self._path = path
        self._data = data
        self.place = 0

    def take(self, size: int) -> bytes:
        start = self.place
        self.place = start + size
        if self.place > len(self._data):
            raise InputError(self._path, f"ends inside its metadata, at byte {len(self._data):,}; it is cut short")
        return self._data[start : self.place]

    def number(self, form: struct.Struct) -> int:
        value: int = form.unpack(self.take(form.size))[0]
        return value

    def texts(self, length: int) -> list[str]:
        """That many strings, each with its length before it."""
        data, place, size = self._data, self.place, len(self._data)
        found: list[str] = []
        try:
            for _ in range(length):
                start = place + _U64.size
                place = start + _U64.unpack_from(data, place)[0]
                if place > size:
                    break
                found.append(data[start:place].decode())
        except UnicodeDecodeError as error:
            raise InputError(self._path, f"has a string that is not UTF-8 before byte {place:,}") from error
        except struct.error:
            place = size + 1
        self.place = place
        self.take(0)
        return found

    def value(self, kind: int) -> Value:
        if kind == _STRING:
            return self.texts(1)[0]
        if kind == _ARRAY:
            return self._array(self.number(_U32), self.number(_U64))
        if kind not in _SCALARS:
            raise InputError(self._path, f"has a value of unknown type {kind}; the file is damaged or newer")
        scalar: int | float | bool = struct.unpack(f"<{_SCALARS[kind]}", self.take(struct.calcsize(_SCALARS[kind])))[0]
        return scalar

    def _array(self, kind: int, length: int) -> list[Value]:
        if length > len(self._data):
            raise InputError(self._path, f"has an array of {length:,} values, more than it has bytes; it is damaged")
        if kind == _STRING:
            return list(self.texts(length))
        if kind not in _SCALARS:
            raise InputError(self._path, f"has an array of unknown type {kind}; the file is damaged or newer")
        size = struct.calcsize(f"<{_SCALARS[kind]}")
        return list(struct.unpack(f"<{length}{_SCALARS[kind]}", self.take(size * length)))


def read_metadata(path: Path) -> tuple[dict[str, Value], str]:
    """Every key of the file's metadata, and the SHA-256 of the bytes that hold it.

    Raises:
        InputError: the file cannot be read, is no GGUF file of a known version, or is damaged.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            reader = _Reader(str(path), data)
            pairs = _pairs(reader, str(path))
            return pairs, digest(data[: reader.place])
    except (OSError, ValueError, OverflowError, MemoryError) as error:
        raise InputError(str(path), f"cannot be read as GGUF: {error}") from error


def _pairs(reader: _Reader, path: str) -> dict[str, Value]:
    if reader.take(len(_MAGIC)) != _MAGIC:
        raise InputError(path, "does not begin as a GGUF file does")
    version = reader.number(_U32)
    if version not in _VERSIONS:
        raise InputError(path, f"is of GGUF version {version}; known here: {', '.join(map(str, _VERSIONS))}")
    reader.number(_U64)
    keys = reader.number(_U64)
    if keys > _MOST_KEYS:
        raise InputError(path, f"claims {keys:,} keys of metadata; it is damaged")
    pairs: dict[str, Value] = {}
    for _ in range(keys):
        key = reader.texts(1)[0]
        pairs[key] = reader.value(reader.number(_U32))
    return pairs
