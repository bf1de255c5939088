"""Where files were cut, kept between calls by whoever implements the port; it holds numbers and no text."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from conspectus.sources.files.chunk import REVISION, chunk, cut_as
from conspectus.sources.files.pack import Chunk
from conspectus.sources.files.reading import TextFile

_Row: TypeAlias = tuple[int, int, int, int, int, int]
_DECODER = msgspec.msgpack.Decoder(tuple[_Row, ...], strict=True)
_ENCODER = msgspec.msgpack.Encoder()


class ChunkCache(Protocol):
    """Keeps the boundaries of a file under the hash of its bytes, so that an unchanged file is not parsed again."""

    def load(self, revision: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        """What was saved under `revision` for those of `keys` that are known."""
        ...

    def save(self, revision: str, entries: Mapping[str, bytes]) -> None:
        """Keep entries for later; a cache may forget whatever it likes."""
        ...


def encode_boundaries(chunks: Sequence[Chunk]) -> bytes:
    """The chunks as bytes for a cache."""
    return _ENCODER.encode([(c.start, c.end, c.first, c.last, c.column, c.needs) for c in chunks])


def decode_boundaries(data: bytes, length: int) -> tuple[Chunk, ...] | None:
    """The chunks a cache kept of a text of `length` code points, or None where they are damaged or do not cover it."""
    try:
        rows = _DECODER.decode(data)
    except msgspec.DecodeError:
        return None
    place = 0
    for start, end, first, last, column, needs in rows:
        if start != place or end <= start or not 0 < first <= last or column < 0 or not -1 <= needs < len(rows):
            return None
        place = end
    if place != length:
        return None
    return tuple(Chunk(start=s, end=e, first=f, last=n, column=c, needs=p) for s, e, f, n, c, p in rows)


def cut_files(files: Sequence[TextFile], cache: ChunkCache | None) -> list[tuple[Chunk, ...]]:
    """The chunks of each file, from the cache where it has them; what had to be cut is saved."""
    languages = [cut_as(file.path) for file in files]
    keys = [f"{file.content_hash}.{language}" for file, language in zip(files, languages, strict=True)]
    known: Mapping[str, bytes] = cache.load(REVISION, keys) if cache else {}
    fresh: dict[str, bytes] = {}
    result: list[tuple[Chunk, ...]] = []
    for file, key, language in zip(files, keys, languages, strict=True):
        kept = known.get(key)
        chunks = None if kept is None else decode_boundaries(kept, len(file.text))
        if chunks is None:
            chunks = chunk(file.text, language)
            fresh[key] = encode_boundaries(chunks)
        result.append(chunks)
    if cache and fresh:
        cache.save(REVISION, fresh)
    return result
