"""The metadata at the head of a GGUF file; tensors are never touched."""

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from conspectus.errors import InputError

Value: TypeAlias = "int | float | bool | str | list[Value]"

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_LONGEST = 10_000_000


@dataclass(slots=True)
class _Reader:
    path: str
    data: mmap.mmap
    place: int = 0

    def scalar(self, form: str) -> int:
        """One little-endian number."""
        value: int = struct.unpack_from(form, self.data, self.place)[0]
        self.place += struct.calcsize(form)
        return value

    def text(self) -> str:
        """One string with its length before it."""
        length = self.scalar("<Q")
        if length > _LONGEST:
            raise InputError(self.path, f"a string of {length:,} bytes; the file is damaged")
        raw = self.data[self.place : self.place + length]
        self.place += length
        return raw.decode("utf-8", "replace")

    def value(self, kind: int) -> Value:
        """One value of a numbered type."""
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            inner, length = self.scalar("<I"), self.scalar("<Q")
            if length > _LONGEST:
                raise InputError(self.path, f"an array of {length:,} values; the file is damaged")
            return [self.value(inner) for _ in range(length)]
        if kind not in _SCALARS:
            raise InputError(self.path, f"a value of unknown type {kind}; the file is damaged or newer")
        return self.scalar(_SCALARS[kind])


def read_metadata(path: Path) -> dict[str, Value]:
    """Every key of the file's metadata.

    Raises:
        InputError: the file is missing, no GGUF file of a known version, or damaged.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return dict(_pairs(_Reader(str(path), data)))
    except (OSError, ValueError, struct.error, IndexError) as error:
        raise InputError(str(path), f"is no readable GGUF file: {error}") from error


def _pairs(reader: _Reader) -> Iterator[tuple[str, Value]]:
    if reader.data[:4] != _MAGIC:
        raise InputError(reader.path, "does not begin as a GGUF file does")
    reader.place = 4
    version = reader.scalar("<I")
    if version not in _VERSIONS:
        raise InputError(reader.path, f"is GGUF version {version}; known: 2, 3")
    reader.scalar("<Q")
    for _ in range(reader.scalar("<Q")):
        key = reader.text()
        yield key, reader.value(reader.scalar("<I"))
