"""The rules of `.gitignore` files, matched in linear time; it reads no file and walks no folder.

The grammar is git's (gitignore(5), wildmatch.c). Rules come out of the folder that is looked at, so they may be
hostile: stars are compiled to atomic groups, as Python's own `fnmatch` does, and `**` goes back to its last match only.
Like git it compares bytes: paths and rules are texts with one character a byte (Latin-1).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

_SEVERAL_STARS = re.compile(r"\*{2,}")
_SPECIAL = re.compile(r"[*?\[\\]")
_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_ANY_FOLDERS = "**"
_NEVER = "(?!)"

Layer: TypeAlias = "tuple[int, tuple[Rule, ...]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of a rule file.

    Attributes:
        parts: globs for the components of a path below the file's folder; `**` stands for any number of them.
        negated: what it matches is offered after all.
        folders_only: it matches folders only.
    """

    parts: tuple[str, ...]
    negated: bool
    folders_only: bool

    def matches(self, names: Sequence[str], is_folder: bool) -> bool:
        """Whether the rule speaks of the path `names`, given from the rule file's folder down."""
        if self.folders_only and not is_folder:
            return False
        if len(self.parts) == 2 and self.parts[0] == _ANY_FOLDERS:  # the usual rule: a name at any depth
            return _fits(self.parts[1], names[-1])
        return _fits_all(self.parts, names)


def parse_rules(data: bytes) -> tuple[Rule, ...]:
    """The rules of one file, in its order; a line that git would not understand matches nothing."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    return tuple(rule for line in text.split("\n") if (rule := _parse_line(line.removesuffix("\r"))))


def is_ignored(layers: Iterable[Layer], names: Sequence[str], is_folder: bool) -> bool:
    """Whether the last rule that speaks of a path leaves it out.

    Args:
        layers: the rule files that reach the path, the strongest first: (depth of the file's folder, its rules).
        names: the components of the path.
        is_folder: whether the path is a folder.
    """
    for depth, rules in layers:
        below = names[depth:]
        for rule in reversed(rules):
            if rule.matches(below, is_folder):
                return not rule.negated
    return False


def translate(glob: str) -> str:
    """A regular expression that fully matches what `glob` matches in one component of a path."""
    pieces = [""]
    place = 0
    while place < len(glob):
        character = glob[place]
        place += 1
        if character == "*":
            pieces.append("")
        elif character == "?":
            pieces[-1] += "."
        elif character == "[":
            charset, place = _translate_class(glob, place)
            pieces[-1] += charset
        elif character == "\\":
            if place == len(glob):
                return _NEVER
            pieces[-1] += re.escape(glob[place])
            place += 1
        else:
            pieces[-1] += re.escape(character)
    if len(pieces) == 1:
        return pieces[0]
    head, *middle, tail = pieces
    # Between stars the leftmost place is as good as any, so nothing is ever tried again.
    return head + "".join(f"(?>.*?{piece})" for piece in middle if piece) + ".*" + tail


def _parse_line(line: str) -> Rule | None:
    if line.startswith("#"):
        return None
    line = _without_trailing_spaces(line)
    negated = line.startswith("!")
    line = line[1:] if negated else line
    folders_only = line.endswith("/")
    line = line[:-1] if folders_only else line
    if not line:
        return None
    if "/" in line:
        parts = [_ANY_FOLDERS if _SEVERAL_STARS.fullmatch(part) else part for part in _split(line.removeprefix("/"))]
    else:
        parts = [_ANY_FOLDERS, "*" if _SEVERAL_STARS.fullmatch(line) else line]
    if parts[-1] == _ANY_FOLDERS:
        parts.append("*")  # `a/**` is everything in a, not a itself
    return Rule(parts=tuple(parts), negated=negated, folders_only=folders_only)


def _split(line: str) -> list[str]:
    """The components of a rule; a slash in a class is a member of it and parts nothing, an escaped one is a slash."""
    parts = [""]
    place = 0
    while place < len(line):
        end = place + 1
        if line[place] == "[":
            _, end = _translate_class(line, end)
        elif line[place] == "\\":
            end += 1
        piece = line[place:end]
        place = end
        if piece in ("/", "\\/"):
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    if bare == line:
        return line
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if backslashes % 2 else bare


@lru_cache(maxsize=4096)
def _compiled(part: str) -> re.Pattern[str] | None:
    """A part ready for matching, or None where it matches itself alone."""
    return re.compile(translate(part), re.DOTALL) if _SPECIAL.search(part) else None


def _fits(part: str, name: str) -> bool:
    pattern = _compiled(part)
    return part == name if pattern is None else pattern.fullmatch(name) is not None


def _fits_all(parts: Sequence[str], names: Sequence[str]) -> bool:
    """Match components against parts; only the last `**` is ever taken further."""
    part = name = 0
    back_part, back_name = -1, 0
    while name < len(names):
        if part < len(parts) and parts[part] == _ANY_FOLDERS:
            part += 1
            back_part, back_name = part, name
        elif part < len(parts) and _fits(parts[part], names[name]):
            part += 1
            name += 1
        elif back_part >= 0:
            back_name += 1
            part, name = back_part, back_name
        else:
            return False
    return all(each == _ANY_FOLDERS for each in parts[part:])


def _translate_class(glob: str, place: int) -> tuple[str, int]:
    """The class that begins before `place`, and the place behind it; one that never ends matches nothing."""
    negated = glob[place : place + 1] in ("!", "^")
    place += negated
    members: list[str] = []
    first = True
    while first or glob[place : place + 1] != "]":
        first = False
        member, place = _member(glob, place)
        if member is None:
            return _NEVER, len(glob)
        members.append(member)
    inside = "".join(members)
    if not inside:
        return (".", place + 1) if negated else (_NEVER, place + 1)
    return f"[{'^' if negated else ''}{inside}]", place + 1


def _member(glob: str, place: int) -> tuple[str | None, int]:
    """One member of a class: a POSIX class, a range or a character; None where the class is broken."""
    if glob.startswith("[:", place):
        end = glob.find("]", place + 2)
        if end < 0:
            return None, place
        if end > place + 2 and glob[end - 1] == ":":
            return _POSIX_CLASSES.get(glob[place + 2 : end - 1]), end + 1
        return re.escape("["), place + 1
    low, place = _character(glob, place)
    if low is None or glob[place : place + 1] != "-" or glob[place + 1 : place + 2] in ("", "]"):
        return (None if low is None else re.escape(low)), place
    high, place = _character(glob, place + 1)
    if high is None:
        return None, place
    return (f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""), place


def _character(glob: str, place: int) -> tuple[str | None, int]:
    if glob[place : place + 1] == "\\":
        place += 1
    return (glob[place], place + 1) if place < len(glob) else (None, place)
