"""How far each candidate came on its way into the payload, and what stopped it; of one manifest, and with no doubt."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import msgspec

from conspectus.core.canonical import text_hash
from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import ContextManifest, Decision, ItemRecord, Reason, Verdict
from conspectus.core.message import Message, TextPart, ToolResultPart
from conspectus.inspection.bodies import Reading
from conspectus.inspection.facts import Fact
from conspectus.text.sanitize import sanitize

_ENDS = frozenset({Verdict.KEPT, Verdict.TRANSFORMED, Verdict.OMITTED})
_UNREACHABLE = frozenset({Reason.EXPIRED, Reason.UNAUTHORIZED})
_UNREAD = frozenset(
    {
        Reason.SOURCE_FAILED,
        Reason.MALFORMED,
        Reason.UNREADABLE,
        Reason.BINARY,
        Reason.TOO_LARGE,
        Reason.IGNORED,
    }
)
_LOSSY = frozenset({"shorten", "names"})
_LEAVES_TEXT = frozenset({"unseal"})


class Reach(IntEnum):
    """How far a candidate came, each further than the one before."""

    UNREAD = 0
    UNREACHABLE = 1
    EXCLUDED = 2
    LOST = 3
    BROKEN = 4
    PROVIDED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """The end of one subject.

    Attributes:
        decision: the decision that ended its way; None for a source of something that was compacted.
        record: its place in the payload, if it has one, or the place of what was made from it.
    """

    subject: str
    reach: Reach
    decision: Decision | None = None
    record: ItemRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """A manifest, looked up by subject."""

    decisions: Mapping[str, Decision]
    records: Mapping[str, ItemRecord]
    made_into: Mapping[str, ItemRecord]


class _Named(msgspec.Struct, frozen=True):
    name: str


def ends_of(manifest: ContextManifest) -> Ends:
    """The last decision, the place and what was made of each subject."""
    return Ends(
        decisions={one.subject: one for one in manifest.decisions if one.verdict in _ENDS},
        records={record.id: record for record in manifest.items},
        made_into={name: record for record in manifest.items for name in record.derived_from},
    )


def fate(subject: str, ends: Ends, item: ContextItem | None, fact: Fact | None, body: Reading | None) -> Fate | None:
    """What became of one subject, or of the fact it holds; None when nothing was decided about it.

    Args:
        subject: an id.
        ends: of the manifest.
        item: the candidate as it was archived, where that is known.
        fact: what is looked for in it; without one, all of it is.
        body: the payload, where it is known.
    """
    record = ends.records.get(subject)
    decision = ends.decisions.get(subject)
    if record is not None:
        return Fate(subject=subject, reach=_arrival(record, item, fact, body), decision=decision, record=record)
    if decision is not None:
        return Fate(subject=subject, reach=_stop(decision.reason), decision=decision)
    made = ends.made_into.get(subject)
    return None if made is None else Fate(subject=subject, reach=Reach.LOST, record=made)


def _stop(reason: Reason) -> Reach:
    if reason in _UNREAD:
        return Reach.UNREAD
    if reason in _UNREACHABLE:
        return Reach.UNREACHABLE
    return Reach.LOST if reason is Reason.REDUCED else Reach.EXCLUDED


def _arrival(record: ItemRecord, item: ContextItem | None, fact: Fact | None, body: Reading | None) -> Reach:
    """How far something that was let in came: to the model, or only to a rung or to the writing."""
    is_reduced = any(link.step in _LOSSY for link in record.transformations)
    if body is None:
        return Reach.LOST if is_reduced else Reach.PROVIDED
    if fact is not None and fact.held_by(_written(record, body)):
        return Reach.PROVIDED
    if not _is_whole(record, item, body):
        return Reach.BROKEN
    if fact is None:
        return Reach.LOST if is_reduced else Reach.PROVIDED
    return Reach.LOST if record.transformations else Reach.BROKEN


def _written(record: ItemRecord, body: Reading) -> str:
    """What the body says in this item's place; of turns, which have no frame, what it says at all."""
    framed = body.items.get(record.id)
    return body.text if framed is None else framed.content


def _is_whole(record: ItemRecord, item: ContextItem | None, body: Reading) -> bool:
    """Whether the item stands in the body as its record says it should."""
    framed = body.items.get(record.id)
    if framed is not None and (item is None or not item.messages):
        links = [link for link in record.transformations if link.step not in _LEAVES_TEXT]
        return text_hash(framed.content) == (links[-1].after if links else record.hash)
    if framed is not None:
        return True
    if record.kind == Kind.TOOL_SCHEMA:
        return item is None or _tool_name(item) in body.text
    if item is None or not item.messages:
        return record.kind == Kind.HISTORY
    is_reduced = any(link.step in _LOSSY for link in record.transformations)
    return is_reduced or all(text in body.text for text in _said(item.messages))


def _tool_name(item: ContextItem) -> str:
    try:
        return msgspec.json.decode(item.content, type=_Named).name
    except msgspec.DecodeError:
        return item.content


def _said(messages: tuple[Message, ...]) -> list[str]:
    """The texts of turns, as cleaning leaves them."""
    parts = (part for message in messages for part in message.parts)
    return [sanitize(part.text).text for part in parts if isinstance(part, TextPart | ToolResultPart)]
