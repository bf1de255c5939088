"""Where files were cut, kept between calls by whoever implements the port; it holds numbers and no text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import msgspec

from conspectus.sources.files.chunk import REVISION, chunk, cut_as, needs_grammar
from conspectus.sources.files.grammars import parse_code
from conspectus.sources.files.pack import Chunk
from conspectus.sources.files.reading import TextFile

_Row: TypeAlias = tuple[int, int, int, int, int, int]
_DECODER = msgspec.msgpack.Decoder(tuple[bool, tuple[_Row, ...]], strict=True)
_ENCODER = msgspec.msgpack.Encoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The chunks of a text, and whether its grammar could make nothing of it."""

    chunks: tuple[Chunk, ...]
    resisted: bool = False


class ChunkCache(Protocol):
    """Keeps the boundaries of a file under the hash of its bytes, so that an unchanged file is not parsed again."""

    def load(self, revision: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        """What was saved under `revision` for those of `keys` that are known."""
        ...

    def save(self, revision: str, entries: Mapping[str, bytes]) -> None:
        """Keep entries for later; a cache may forget whatever it likes."""
        ...


def encode_cut(cut: Cut) -> bytes:
    """The cut as bytes for a cache."""
    return _ENCODER.encode((cut.resisted, [(c.start, c.end, c.first, c.last, c.column, c.needs) for c in cut.chunks]))


def decode_cut(data: bytes, length: int) -> Cut | None:
    """What a cache kept of a text of `length` code points, or None where it is damaged or does not cover the text."""
    try:
        resisted, rows = _DECODER.decode(data)
    except msgspec.DecodeError:
        return None
    place = 0
    for start, end, first, last, column, needs in rows:
        if start != place or end <= start or not 0 < first <= last or column < 0 or not -1 <= needs < len(rows):
            return None
        place = end
    if place != length:
        return None
    chunks = tuple(Chunk(start=s, end=e, first=f, last=n, column=c, needs=p) for s, e, f, n, c, p in rows)
    return Cut(chunks=chunks, resisted=resisted)


def cut_files(files: Sequence[TextFile], cache: ChunkCache | None) -> list[Cut]:
    """The chunks of each file, from the cache where it has them; what had to be cut is saved."""
    jobs = [(file.text, cut_as(file.path)) for file in files]
    keys = [f"{file.content_hash}.{language}" for file, (_, language) in zip(files, jobs, strict=True)]
    known: Mapping[str, bytes] = cache.load(REVISION, keys) if cache else {}
    cuts = {key: _kept(known.get(key), text) for key, (text, _) in zip(keys, jobs, strict=True)}
    missing = {key: job for key, job in zip(keys, jobs, strict=True) if cuts[key] is None}
    fresh = dict(zip(missing, cut_texts(list(missing.values())), strict=True))
    if cache and fresh:
        cache.save(REVISION, {key: encode_cut(cut) for key, cut in fresh.items()})
    return [cuts[key] or fresh[key] for key in keys]


def cut_texts(jobs: Sequence[tuple[str, str]]) -> list[Cut]:
    """Cut each (text, language); those that need a grammar are parsed in one go."""
    coded = [index for index, (text, language) in enumerate(jobs) if needs_grammar(text, language)]
    parsed = parse_code([(jobs[index][1], jobs[index][0]) for index in coded])
    structures = dict(zip(coded, parsed, strict=True))
    return [
        Cut(
            chunks=chunk(text, language, structures.get(index)),
            resisted=index in structures and structures[index] is None,
        )
        for index, (text, language) in enumerate(jobs)
    ]


def _kept(data: bytes | None, text: str) -> Cut | None:
    return None if data is None else decode_cut(data, len(text))
