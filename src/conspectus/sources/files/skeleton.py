"""What stands for a folder as a whole: the beginning of its README and of its settings, and its outline."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from conspectus.sources.files.names import encode_path
from conspectus.sources.files.pack import AIM, Chunk

OUTLINE_BYTES = 1_500
_HEADS = re.compile(
    rb"readme(?:\.(?:md|markdown|rst|txt))?|pyproject\.toml|setup\.cfg|package\.json|cargo\.toml|go\.mod|pom\.xml|gemfile"
    rb"|build\.gradle(?:\.kts)?|composer\.json|cmakelists\.txt|makefile|deno\.json|mix\.exs|pubspec\.yaml",
    re.IGNORECASE,
)
_INDENT = "  "


def is_head(path: bytes) -> bool:
    """Whether the beginning of this file says what the folder is: a README or a project's settings at the top."""
    return _HEADS.fullmatch(path) is not None


def join_head(text: str, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks with the leading ones joined to one of a chunk's usual size; dependent ones are left as they are."""
    if any(chunk.needs >= 0 for chunk in chunks):
        return tuple(chunks)
    count = 1
    while count < len(chunks) and not chunks[count].column and _bytes(text, chunks[0].start, chunks[count].end) <= AIM:
        count += 1
    if count == 1 or chunks[0].column:
        return tuple(chunks)
    return (replace(chunks[0], end=chunks[count - 1].end, last=chunks[count - 1].last), *chunks[count:])


@dataclass(slots=True, kw_only=True)
class _Branch:
    """A folder in the outline, while it is being counted."""

    name: str = ""
    files: int = 0
    size: int = 0
    folders: "dict[bytes, _Branch]" = field(default_factory=dict[bytes, "_Branch"])
    leaves: list[str] = field(default_factory=list[str])
    expanded: bool = False

    @property
    def line(self) -> str:
        return f"{self.name}/  {self.files:,} {'file' if self.files == 1 else 'files'}, {_readable(self.size)}"


def outline(files: Iterable[tuple[bytes, int]], limit: int = OUTLINE_BYTES) -> str:
    """The tree of `files` (path, size in bytes) in at most about `limit` bytes; shallow folders are opened first."""
    root = _Branch()
    for path, size in files:
        _grow(root, path.split(b"/"), size)
    waiting = [(root, 0)]
    left = limit
    while waiting:
        branch, depth = waiting.pop(0)
        cost = sum(len(line.encode()) + 1 for line in _inside(branch, depth))
        if cost > left and branch is not root:
            continue
        branch.expanded = True
        left -= cost
        waiting.extend((each, depth + 1) for each in branch.folders.values())
    lines = list(_render(root, 0))
    shown = _within(lines, limit)
    return "\n".join(lines[:shown] + ([f"and {len(lines) - shown:,} more"] if shown < len(lines) else []))


def _grow(root: _Branch, parts: Sequence[bytes], size: int) -> None:
    branch = root
    for part in parts[:-1]:
        branch = branch.folders.setdefault(part, _Branch(name=encode_path(part)))
        branch.files += 1
        branch.size += size
    branch.leaves.append(f"{encode_path(parts[-1])}  {_readable(size)}")


def _inside(branch: _Branch, depth: int) -> Iterable[str]:
    """The lines that opening a folder adds."""
    lines = (*(each.line for each in branch.folders.values()), *branch.leaves)
    return (_INDENT * depth + line for line in lines)


def _render(branch: _Branch, depth: int) -> Iterable[str]:
    for each in branch.folders.values():
        yield _INDENT * depth + each.line
        if each.expanded:
            yield from _render(each, depth + 1)
    yield from (_INDENT * depth + leaf for leaf in branch.leaves)


def _within(lines: Sequence[str], limit: int) -> int:
    """How many of `lines` fit."""
    used = 0
    for count, line in enumerate(lines):
        used += len(line.encode()) + 1
        if used > limit:
            return count
    return len(lines)


def _readable(size: int) -> str:
    if size < 1_000:
        return f"{size} B"
    return f"{size / 1_000:.0f} KB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def _bytes(text: str, start: int, end: int) -> int:
    return len(text[start:end].encode())
