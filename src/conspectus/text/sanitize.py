r"""Text without characters that deceive: invisible, reordering or terminal-controlling; it judges no visible text.

What no reader sees must not reach a model or a terminal unseen, and what a script needs must stay. So control
characters, terminal escape sequences (whole), tag characters and bidirectional embeddings are taken out; line ends
become `\n`; other invisible characters become a visible mark such as `⟨U+200B⟩` or `⟨U+200B×3⟩`. Joiners stay between
emoji and in scripts that join, direction marks near right-to-left letters, one variation selector after a character
that has variants, zero-width spaces in scripts that write no spaces, and the tags of the three registered flags. `␛`,
the escape character of our own fence, is marked too. Everything done is told, and doing it again does nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from conspectus.text.patterns import compiled, plain

_ASCII_CONTROLS = bytes(code for code in [*range(0x20), 0x7F] if chr(code) not in "\t\n")
_LINE_END = re.compile("\r\n?|\x85")
# Kinds of what is not seen. A removed kind leaves nothing; every other kind leaves a mark.
_KINDS = {
    "control": "\x00-\x08\x0b-\x1f\x7f-\x9f",
    "tag": "\U000e0000-\U000e007f",
    "bidi": "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "variation": "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef",
    "surrogate": "\ud800-\udfff",
    "noncharacter": "\ufdd0-\ufdef" + "".join(f"{chr(end - 1)}{chr(end)}" for end in range(0xFFFF, 0x110000, 0x10000)),
    "reserved": "\u241b",
    "zero_width": (
        "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
    ),
}
_REMOVED = frozenset({"control", "escape", "newline", "bom", "tag", "bidi", "variation"})
_CONTROL_SEQUENCE = r"[0-?]*[ -/]*[@-~]"  # colours, cursor
_CONTROL_STRING = r"[^\x07\x1b\x90\x98\x9b-\x9f]*(?:\x07|\x1b\\|\x9c)"  # titles, links, clipboard
_ESCAPE_TAIL = (
    rf"(?:(?<=\x1b)(?:\[{_CONTROL_SEQUENCE}|[\]PX^_]{_CONTROL_STRING}|[ -/]*[0-~])"
    rf"|(?<=\x9b){_CONTROL_SEQUENCE}|(?<=[\x90\x98\x9d-\x9f]){_CONTROL_STRING})?"
)
_UNSEEN_RANGES = re.findall(".-.|.", "".join(_KINDS.values()), re.DOTALL)
_BASIC_UNSEEN = "".join(found for found in _UNSEEN_RANGES if found[0] <= "\uffff")
_ALL_UNSEEN = "".join(_UNSEEN_RANGES)
# A set within the basic plane is looked up, a wider one is searched range by range: ten times as slow.
_BASIC_TOKEN = f"[{_BASIC_UNSEEN}]{_ESCAPE_TAIL}"
_TOKEN = f"[{_ALL_UNSEEN}]{_ESCAPE_TAIL}"

_DIRECTION_MARKS = "\u061c\u200e\u200f"
_FLAG = "\U0001f3f4"
_FLAG_TAGS = tuple(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f" for region in ("gbeng", "gbsct", "gbwls")
)
_JOINING = (
    r"[[\p{Arabic}\p{Syriac}\p{Nko}\p{Mandaic}\p{Mongolian}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}"
    r"\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}\p{Tibetan}]&&[\p{L}\p{M}]]"
)
_SPACELESS = r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
_VARIANT = (
    r"[\p{Emoji}\p{S}][\ufe0e\ufe0f]|[\p{Han}\p{S}\p{Myanmar}\p{Phags_Pa}、。，．：；！？][\ufe00-\ufe0d]"
    r"|\p{Han}[\U000e0100-\U000e01ef]|\p{Mongolian}[\u180b-\u180d\u180f]"
)
_NEEDED = (
    r"(?s)[\p{Extended_Pictographic}\p{Emoji_Modifier}]\u200d\p{Extended_Pictographic}"
    rf"|{_JOINING}[\u200c\u200d].?|.?[\u200c\u200d]{_JOINING}"
    rf"|{_SPACELESS}\u200b{_SPACELESS}|\p{{Mongolian}}\u180e.?|\p{{Hebrew}}\u034f.?"
)
# A direction mark works on digits and punctuation beside right-to-left letters: four such characters may stand between.
_RIGHT_TO_LEFT = r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}]"
_BETWEEN = rf"[^\p{{L}}\n{''.join(_KINDS.values())}]{{0,4}}"
_AFTER_RIGHT_TO_LEFT = rf"{_RIGHT_TO_LEFT}\p{{M}}*{_BETWEEN}\Z"
_BEFORE_RIGHT_TO_LEFT = rf"{_BETWEEN}{_RIGHT_TO_LEFT}"
_REACH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What was taken out or marked, of one kind.

    Attributes:
        kind: `newline escape control bom tag bidi variation` were removed, `zero_width surrogate noncharacter
            reserved` were marked.
        code_points: which code points, ascending, each once; of an escape sequence only the one that begins it.
        count: how many code points, line ends or escape sequences.
    """

    kind: str
    code_points: tuple[int, ...]
    count: int


class Cleaned(NamedTuple):
    """Text that shows all it holds, and what that took; `text` is the same object if nothing was done.

    A named tuple, because every text of an assembly gets one and most are clean.
    """

    text: str
    removals: tuple[Removal, ...]


class _Record:
    """What is taken out, while it is; by kind."""

    def __init__(self) -> None:
        self.code_points: dict[str, set[int]] = {}
        self.counts: dict[str, int] = {}

    def add(self, kind: str, characters: str, count: int = 1) -> None:
        self.code_points.setdefault(kind, set()).update(map(ord, characters))
        self.counts[kind] = self.counts.get(kind, 0) + count

    def removals(self) -> tuple[Removal, ...]:
        return tuple(
            Removal(kind=kind, code_points=tuple(sorted(self.code_points[kind])), count=self.counts[kind])
            for kind in sorted(self.counts)
        )


@dataclass(frozen=True, slots=True)
class _Unseen:
    """One unseen character, or an escape sequence by its first."""

    kind: str
    text: str


def sanitize(text: str) -> Cleaned:
    """Return `text` without what deceives, and every removal by kind; the result always encodes as UTF-8."""
    if is_clean(text):
        return Cleaned(text=text, removals=())
    record = _Record()
    if line_ends := _LINE_END.findall(text):
        record.add("newline", "".join(set(line_ends)).replace("\n", ""), len(line_ends))
        text = _LINE_END.sub("\n", text)
    parts: list[str] = []
    done = 0
    for start, end, run in _runs(text):
        parts.append(text[done:start])
        parts.append(_settle(text, start, end, run, record))
        done = end
    parts.append(text[done:])
    removals = record.removals()
    return Cleaned(text="".join(parts) if removals else text, removals=removals)


def is_clean(text: str) -> bool:
    """Say whether `text` holds no character that `sanitize` would even look at: the quick answer for most texts."""
    if text.isascii():
        raw = text.encode("ascii")
        return len(raw.translate(None, _ASCII_CONTROLS)) == len(raw)
    return _token_pattern(text).search(text) is None


def _token_pattern(text: str) -> re.Pattern[str]:
    is_basic = len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text)
    return plain(_BASIC_TOKEN if is_basic else _TOKEN)


def _runs(text: str) -> Iterator[tuple[int, int, list[_Unseen]]]:
    """Yield start, end and members of each run of unseen characters and escape sequences without anything between."""
    run: list[_Unseen] = []
    start = end = 0
    for token in _token_pattern(text).finditer(text):
        if token.start() != end and run:
            yield start, end, run
            run = []
        if not run:
            start = token.start()
        found = token.group()
        run.append(_unseen(found) if len(found) == 1 else _Unseen("escape", found[0]))
        end = token.end()
    if run:
        yield start, end, run


@lru_cache(maxsize=1 << 10)
def _unseen(character: str) -> _Unseen:
    return _Unseen(next(kind for kind, found in _KINDS.items() if plain(f"[{found}]").match(character)), character)


def _settle(text: str, start: int, end: int, run: list[_Unseen], record: _Record) -> str:
    """Return what stays of the run `text[start:end]`, and record the rest.

    What is needed depends on the visible neighbours only, so that a second pass would decide the same.
    """
    before, after = text[start - 1 : start], text[end : end + 1]
    kept = _flag_tags(before, text[start : start + len(_FLAG_TAGS[0])])
    rest = _without_certain(run[len(kept) :], start + len(kept), record)
    if rest and not kept and compiled(_VARIANT).fullmatch(before + rest[0].text):
        kept = rest.pop(0).text
    if rest and all(unseen.kind in _REMOVED for unseen in rest[1:]):
        near = (text[max(0, start - _REACH) : start], text[end : end + _REACH])
        if _is_needed(before, rest[0].text, after, near):
            kept += rest.pop(0).text
    return kept + _marks(rest, record)


def _flag_tags(before: str, tags: str) -> str:
    return tags if before == _FLAG and tags in _FLAG_TAGS else ""


def _without_certain(run: list[_Unseen], start: int, record: _Record) -> list[_Unseen]:
    """Return those of the run that neighbours may need or that leave a mark, and record the others."""
    rest: list[_Unseen] = []
    for place, unseen in enumerate(run):
        if start + place == 0 and unseen.text == "\ufeff":
            record.add("bom", unseen.text)
        elif unseen.kind in _REMOVED and unseen.kind != "variation" and unseen.text not in _DIRECTION_MARKS:
            record.add(unseen.kind, unseen.text)
        else:
            rest.append(unseen)
    return rest


def _is_needed(before: str, character: str, after: str, near: tuple[str, str]) -> bool:
    """Say whether `character` does something for its visible neighbours; `near` is more of both sides."""
    if character in _DIRECTION_MARKS:
        left, right = near
        return bool(compiled(_AFTER_RIGHT_TO_LEFT).search(left) or compiled(_BEFORE_RIGHT_TO_LEFT).match(right))
    return compiled(_NEEDED).fullmatch(before + character + after) is not None


def _marks(rest: list[_Unseen], record: _Record) -> str:
    """Record what is not needed and return the marks that it leaves."""
    marks: list[str] = []
    for unseen, same in groupby(rest):
        count = len(list(same))
        record.add(unseen.kind, unseen.text, count)
        if unseen.kind not in _REMOVED:
            times = f"×{count}" if count > 1 else ""
            marks.append(f"⟨U+{ord(unseen.text):04X}{times}⟩")
    return "".join(marks)
