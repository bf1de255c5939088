"""What a person means by a name: items, files, folders and sources of a manifest; nothing is explained here."""

import difflib
import re
from collections.abc import Callable, Iterable, Sequence

from conspectus.core.manifest import ContextManifest
from conspectus.errors import InputError

_CLOSE = 5
_COMPARED = 2_000
_LINE = re.compile(r"(?P<path>.+?)(?:#L|:)(?P<line>\d{1,9})")
_RANGE = re.compile(r"L(?P<first>\d{1,9})(?:\.\d+)?-(?P<last>\d{1,9})(?:\.\d+)?")
_SOURCE = "source/"


def subjects_of(manifest: ContextManifest) -> tuple[str, ...]:
    """Everything the manifest says something about, each once, in the order it is first named."""
    decided = dict.fromkeys(decision.subject for decision in manifest.decisions)
    named = (record.id for record in manifest.items)
    derived = (name for record in manifest.items for name in record.derived_from)
    refused = (_SOURCE + source for source, _ in manifest.refused)
    return tuple(dict.fromkeys((*decided, *named, *derived, *refused)))


def meant_by(name: str, subjects: Sequence[str]) -> tuple[str, ...]:
    """The subjects that `name` means, the nearest reading first: the first one that finds any is taken.

    An id as it is; a file by its path, with all its parts, or with the part that holds a line (`src/a.py:20`); a
    folder; a source; a path given from further up or further down; something inside a folder that was left out whole.
    """
    wanted = name.strip().removeprefix("./").rstrip("/")
    if wanted.startswith("file:"):
        wanted = wanted.replace(":", "/", 1)
    if not wanted:
        return ()
    readings: tuple[Callable[[], Iterable[str]], ...] = (
        lambda: (subject for subject in subjects if subject == wanted),
        lambda: (subject for subject in subjects if _path(subject) in (wanted, f"file/{wanted}")),
        lambda: _lines(wanted, subjects),
        lambda: (subject for subject in subjects if subject.startswith((f"{wanted}/", f"file/{wanted}/"))),
        lambda: (subject for subject in subjects if subject == _SOURCE + wanted),
        lambda: (subject for subject in subjects if _path(subject).endswith(f"/{wanted}")),
        lambda: (subject for subject in subjects if _is_tail(subject, wanted)),
        lambda: (subject for subject in subjects if _is_above(subject, wanted)),
    )
    return next((found for reading in readings if (found := tuple(reading()))), ())


def unknown(name: str, subjects: Sequence[str]) -> InputError:
    """The error that nothing is known by this name, with the names that are close to it."""
    folded = name.casefold()
    like = [subject for subject in subjects if folded in subject.casefold()]
    pool = like or sorted(subjects, key=lambda subject: abs(len(subject) - len(name)))[:_COMPARED]
    close = like[:_CLOSE] or difflib.get_close_matches(name, pool, _CLOSE, 0.5)
    hint = f"; did you mean {', '.join(close)}?" if close else "; give an id, a path or source/NAME"
    return InputError(name, f"no decision of this manifest is about it{hint}")


def _path(subject: str) -> str:
    return subject.partition("#")[0].rstrip("/")


def _lines(wanted: str, subjects: Sequence[str]) -> Iterable[str]:
    """The parts of a file that hold one of its lines; a file in one piece holds them all."""
    asked = _LINE.fullmatch(wanted)
    if asked is None:
        return
    paths, line = (asked["path"], f"file/{asked['path']}"), int(asked["line"])
    for subject in subjects:
        path, _, fragment = subject.partition("#")
        held = _RANGE.fullmatch(fragment)
        if path in paths and (not fragment or (held and int(held["first"]) <= line <= int(held["last"]))):
            yield subject


def _is_tail(subject: str, wanted: str) -> bool:
    """Whether `wanted` is the same path seen from further up, as an absolute path is."""
    kind, _, path = _path(subject).partition("/")
    return kind == "file" and bool(path) and wanted.startswith("/") and wanted.endswith(f"/{path}")


def _is_above(subject: str, wanted: str) -> bool:
    """Whether the subject is a folder, decided on as a whole, that holds `wanted`."""
    return subject.endswith("/") and f"file/{wanted.removeprefix('file/')}".startswith(subject)
