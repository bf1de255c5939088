"""The folders of one brief as sources whose ids cannot collide; what is in them is theirs to say."""

from collections.abc import Sequence
from pathlib import Path

from conspectus.errors import InputError
from conspectus.sources.files.boundaries import ChunkCache
from conspectus.sources.files.source import FileSource


def open_folders(folders: Sequence[Path], whole: Sequence[str], tenant: str, cache: ChunkCache) -> list[FileSource]:
    """One source a folder, in their order; a folder that is named twice is read once.

    The second and later ones carry their name in their ids, `file/NAME/PATH`; where that could be a path of the first
    one, the name gets a number.

    Args:
        folders: folders or single files.
        whole: paths to be kept whole, each relative to the first folder that has it.
        tenant: whose folders they are.
        cache: keeps chunk boundaries between calls.

    Raises:
        InputError: a path is to be kept whole and there is no folder.
    """
    distinct = tuple({folder.resolve(): folder for folder in reversed(folders)}.values())[::-1]
    holders = {path: _holder(distinct, path) for path in whole}
    return [
        FileSource(
            folder,
            tenant=tenant,
            label=label,
            whole=[path for path, holder in holders.items() if holder == number],
            cache=cache,
        )
        for number, (folder, label) in enumerate(zip(distinct, _labels(distinct), strict=True))
    ]


def _labels(folders: Sequence[Path]) -> list[str]:
    labels: list[str] = []
    for folder in folders:
        name = folder.resolve().name or "root"
        tries = (name, *(f"{name}-{number}" for number in range(2, len(folders) + 2)))
        free = (label for label in tries if label not in labels and not (folders[0] / label).exists())
        labels.append(next(free, f"{name}-{len(folders) + 2}") if labels else "")
    return labels


def _holder(folders: Sequence[Path], path: str) -> int:
    """Number of the first folder that has the path, or of the first one: its source says what is wrong."""
    if not folders:
        raise InputError(path, "is to be kept whole, but there is no folder; add --in FOLDER", field="whole")
    return next((number for number, folder in enumerate(folders) if (folder / path).exists()), 0)
