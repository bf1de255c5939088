"""The fence that keeps data data: frames around items, escaping inside them, and the way back; it chooses nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from conspectus.assembly.layout import SECTIONS, speaks
from conspectus.core.canonical import timestamp
from conspectus.core.item import ContextItem, Kind
from conspectus.text.sanitize import sanitize

ESCAPE = "\N{SYMBOL FOR ESCAPE}"
_TAGS = {Kind.INSTRUCTION: "instruction", Kind.REQUEST: "request", Kind.DEMONSTRATION: "example"}
_DATA = "data"
_ENTITIES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\n": "&#10;",
    "\t": "&#9;",
    "\r": "&#13;",
}
_UNSAFE = re.compile('[&<>"\n\t\r]')
_ENTITY = re.compile("|".join(_ENTITIES.values()))
_CHARACTERS = {entity: character for character, entity in _ENTITIES.items()}
_TWIN_LIMIT = 3


@lru_cache(maxsize=64)
def escape_points(control_strings: tuple[str, ...]) -> re.Pattern[str]:
    """Matches the first character of everything in data that would be structure in the payload.

    These are the profile's control strings, our own tags and our own headings. Only one character is consumed, so
    overlapping ones are all found in one pass, and the mark behind it breaks each of them; a second pass finds none.
    """
    tags = "|".join((*sorted(_TAGS.values()), _DATA))
    headings = "|".join(re.escape(name) for name in (*(s.value for s in SECTIONS), "Data", "Missing evidence", "tool"))
    ours = (rf"<(?=/?\s*(?i:{tags})\b)", rf"\[(?=(?:{headings})\])")
    theirs = (
        f"{re.escape(control[0])}(?={re.escape(control[1:])})"
        for control in sorted(control_strings, key=lambda c: (-len(c), c))
    )
    return re.compile("|".join((*ours, *theirs)))


def neutralise(text: str, points: re.Pattern[str]) -> str:
    """`text` with a visible mark inside everything that would be structure; undone by `restore`."""
    return points.sub(rf"\g<0>{ESCAPE}", text)


def inside(text: str, points: re.Pattern[str]) -> str:
    """`text` neutralised as it stands between line breaks that are ours: a control string may begin with one."""
    between = f"\n{text}\n"
    return neutralise(between, points)[1:-1] if points.search(between) else text


def in_line(text: str, points: re.Pattern[str]) -> str:
    """`text` clean, on one line and neutralised, for names that stand in a sentence of ours."""
    return neutralise(" ".join(sanitize(text).text.split()), points)


def restore(text: str) -> str:
    """The text before `neutralise`; cleaned text never holds the mark itself."""
    return text.replace(ESCAPE, "")


def frame(item: ContextItem, points: re.Pattern[str], *, twins: Sequence[str] = (), conflict: str = "") -> str:
    """The block of one item: a header that cites id, source, version and time, the content, and the closing tag.

    The source is left out where the id already says it (`file/a.py#L1-9` of `file:a.py`).
    """
    tag = _TAGS.get(item.kind, _DATA) if speaks(item) else _DATA
    cited = [("id", item.item_id)]
    if tag == _DATA:
        cited.append(("kind", item.kind.value))
    if item.source_uri and item.source_uri != source_of(item.item_id):
        cited.append(("source", item.source_uri))
    if item.source_version:
        cited.append(("version", item.source_version))
    if item.observed_at is not None:
        cited.append(("time", _cited_time(item.observed_at)))
    if twins:
        more = f" +{len(twins) - _TWIN_LIMIT}" if len(twins) > _TWIN_LIMIT else ""
        cited.append(("also", " ".join(sorted(twins)[:_TWIN_LIMIT]) + more))
    if conflict:
        cited.append(("conflict", conflict))
    header = " ".join(f'{name}="{_attribute(value, points)}"' for name, value in cited)
    return f"<{tag} {header}>\n{inside(item.content, points)}\n</{tag}>\n\n"


def source_of(item_id: str) -> str:
    """The source URI an id implies: `file/src/a.py#L1-9` is of `file:src/a.py`."""
    return item_id.partition("#")[0].replace("/", ":", 1)


@lru_cache(maxsize=4096)
def _cited_time(moment: datetime) -> str:
    return timestamp(moment.replace(microsecond=0))


def _attribute(value: str, points: re.Pattern[str]) -> str:
    value = sanitize(value).text
    if _UNSAFE.search(value):
        value = _UNSAFE.sub(lambda found: _ENTITIES[found[0]], value)
    return neutralise(value, points) if points.search(value) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Framed:
    """One item read back from a payload."""

    item_id: str
    tag: str
    kind: str
    content: str
    source_uri: str
    source_version: str
    time: str
    conflict: str = ""


_FRAME = re.compile(rf"^<({'|'.join((*_TAGS.values(), _DATA))}) ([^\n]*)>\n(.*?)\n</\1>$", re.MULTILINE | re.DOTALL)
_CITED = re.compile(r'(\w+)="([^"\n]*)"')


def parse(text: str) -> tuple[Framed, ...]:
    """Every item of a payload's text, with its content as it was before escaping."""
    return tuple(_framed(tag, header, content) for tag, header, content in _FRAME.findall(text))


def _framed(tag: str, header: str, content: str) -> Framed:
    cited = {
        name: _ENTITY.sub(lambda found: _CHARACTERS[found[0]], restore(value)) for name, value in _CITED.findall(header)
    }
    kinds = {name: kind.value for kind, name in _TAGS.items()}
    return Framed(
        item_id=cited["id"],
        tag=tag,
        kind=cited.get("kind", kinds.get(tag, "")),
        content=restore(content),
        source_uri=cited.get("source", source_of(cited["id"])),
        source_version=cited.get("version", ""),
        time=cited.get("time", ""),
        conflict=cited.get("conflict", ""),
    )
