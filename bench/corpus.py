"""Real text for the benchmarks: the source of the running Python's own library, cut into pieces like evidence."""

import sysconfig
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from conspectus.core.item import ContextItem, Kind, Trust

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
QUESTION = "How does CookieJar decide whether to accept a cookie by domain policy? Fix expired cookie clearing."
_PIECE = 500


def _pieces() -> Iterator[tuple[str, int, str]]:
    roots = [Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib")]
    seen: set[str] = set()
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            try:
                text = path.read_text("utf-8")
            except (UnicodeDecodeError, OSError):
                continue
            for number, start in enumerate(range(0, len(text), _PIECE)):
                piece = text[start : start + _PIECE]
                if len(piece) > _PIECE // 4 and piece not in seen:
                    seen.add(piece)
                    yield path.relative_to(root).as_posix(), number, piece


@cache
def texts(count: int) -> tuple[tuple[str, int, str], ...]:
    """The first `count` distinct pieces of about 500 characters: path, number in the file, text."""
    found: list[tuple[str, int, str]] = []
    for piece in _pieces():
        found.append(piece)
        if len(found) == count:
            break
    return tuple(found)


def candidates(count: int) -> tuple[ContextItem, ...]:
    """`count` evidence items over real source text, ages spread over thirty days."""
    return tuple(
        ContextItem(
            item_id=f"file/{path}#L{number}",
            kind=Kind.EVIDENCE,
            content=text,
            source_uri=f"file:{path}",
            source_version=f"{index:08x}",
            observed_at=NOW - timedelta(minutes=index % 43200),
            trust=Trust.TRUSTED,
        )
        for index, (path, number, text) in enumerate(texts(count))
    )
