"""One copy of each text, the current version of each thing, and no item without what it depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from operator import attrgetter

from conspectus.assembly.table import needs_of, rewire
from conspectus.core.item import ContextItem, Kind, Trust
from conspectus.core.manifest import Decision, Reason, Stage, Verdict
from conspectus.errors import InputError, MissingDependency

_REPEATABLE = frozenset({Kind.HISTORY, Kind.INSTRUCTION, Kind.REQUEST, Kind.TOOL_SCHEMA, Kind.DEMONSTRATION})
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique:
    """Candidates of which each says something of its own.

    Attributes:
        twins: for a kept item, the ids of the copies it stands for.
    """

    items: tuple[ContextItem, ...]
    decisions: tuple[Decision, ...]
    twins: Mapping[str, tuple[str, ...]]


def dedupe(items: Sequence[ContextItem]) -> Unique:
    """Leave out superseded versions, exact copies and items whose dependencies are absent.

    Raises:
        InputError: two candidates have the same id.
        MissingDependency: a mandatory item depends on something no source offered.
    """
    ordered = sorted(items, key=attrgetter("item_id"))
    for item, following in pairwise(ordered):
        if item.item_id == following.item_id:
            raise InputError(item.item_id, "two candidates have this id; give each its own", field="item_id")
    current, replaced, circular = _current(ordered)
    whole, absent = _with_dependencies(rewire(current, {old: by for old, (by, _) in replaced.items()}))
    singles, copied = _singles(whole)
    rewired = rewire(singles, {copy: keeper for copy, (keeper, _) in copied.items()})
    twins: dict[str, tuple[str, ...]] = {}
    for copy, (keeper, _) in copied.items():
        twins[keeper] = (*twins.get(keeper, ()), copy)
    omitted: list[tuple[str, Reason, tuple[str, ...]]] = [
        (old, reason, (by,)) for old, (by, reason) in {**replaced, **copied}.items()
    ]
    omitted.extend((name, Reason.DEPENDENCY_ABSENT, missing) for name, missing in absent.items())
    decisions = [
        Decision(subject=name, stage=Stage.DEDUPE, verdict=Verdict.OMITTED, reason=reason, related=related)
        for name, reason, related in omitted
    ]
    decisions.extend(
        Decision(
            subject=name,
            stage=Stage.DEDUPE,
            verdict=Verdict.NOTED,
            reason=Reason.SUPERSEDED,
            related=others,
            detail="they say that they replace each other, so none is left out for it",
        )
        for name, others in circular.items()
    )
    return Unique(items=rewired, decisions=tuple(decisions), twins=twins)


Losses = dict[str, tuple[str, Reason]]


Circles = dict[str, tuple[str, ...]]


def _current(items: Sequence[ContextItem]) -> tuple[Sequence[ContextItem], Losses, Circles]:
    """Drop every version that a newer one replaces, and every copy of a replaced text.

    Nothing replaces what is mandatory, or what has more authority or trust than itself; versions that replace each
    other in a circle are not dropped for it, and come back by name with those they would replace.
    """
    superseding = [item for item in items if item.supersedes]
    if not superseding:
        return items, {}, {}
    everything = {item.item_id: item for item in items}
    older = {
        item.item_id: [old for old in item.supersedes if old in everything and _may_replace(item, everything[old])]
        for item in superseding
    }
    replaced: Losses = {}
    circular: Circles = {}
    for name, versions in older.items():
        for old in versions:
            if not _leads_to(old, name, older):
                replaced.setdefault(old, (name, Reason.SUPERSEDED))
            elif old != name:
                circular[name] = (*circular.get(name, ()), old)
    stale = {everything[old].content_hash: by for old, (by, _) in replaced.items()}
    for item in items:
        by = stale.get(item.content_hash, "")
        launders = by and by != item.item_id and everything[by].content_hash != item.content_hash
        if launders and not item.mandatory and item.kind not in _REPEATABLE:
            replaced.setdefault(item.item_id, (by, Reason.SUPERSEDED))
    return [item for item in items if item.item_id not in replaced], replaced, circular


def _may_replace(item: ContextItem, old: ContextItem) -> bool:
    as_trusted = item.trust is Trust.TRUSTED or old.trust is not Trust.TRUSTED
    return not old.mandatory and old.authority <= item.authority and as_trusted


def _leads_to(start: str, goal: str, older: Mapping[str, Sequence[str]]) -> bool:
    """Whether `start` replaces `goal`, directly or through others; a version replaces itself."""
    seen: set[str] = set()
    frontier = [start]
    while frontier:
        name = frontier.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            frontier.extend(older.get(name, ()))
    return False


def _standing(item: ContextItem) -> tuple[bool, bool, datetime, int]:
    """Which of two copies stands for both: the mandatory, the trusted, the newer, the one of more authority."""
    return (item.mandatory, item.trust is Trust.TRUSTED, item.observed_at or _NEVER, int(item.authority))


def _singles(items: Sequence[ContextItem]) -> tuple[Sequence[ContextItem], Losses]:
    """Keep one of every exact text among data; turns, instructions and examples may repeat."""
    keepers: dict[str, ContextItem] = {}
    copied: Losses = {}
    for item in items:
        if item.kind in _REPEATABLE or item.parent_call_id:
            continue
        rival = keepers.setdefault(item.content_hash, item)
        if rival is item or (item.mandatory and rival.mandatory):
            continue
        if _standing(item) > _standing(rival):
            keepers[item.content_hash] = item
            copied[rival.item_id] = (item.item_id, Reason.DUPLICATE)
        else:
            copied[item.item_id] = (rival.item_id, Reason.DUPLICATE)
    if not copied:
        return items, copied
    return [item for item in items if item.item_id not in copied], _final(copied)


def _final(copied: Losses) -> Losses:
    """Point every copy at the copy that was kept in the end."""
    settled: Losses = {}
    for name, (keeper, reason) in copied.items():
        last = keeper
        while last in copied:
            last = copied[last][0]
        settled[name] = (last, reason)
    return settled


def _with_dependencies(
    items: Sequence[ContextItem],
) -> tuple[tuple[ContextItem, ...], dict[str, tuple[str, ...]]]:
    """Drop items that need something absent, until nothing more falls."""
    needy = [item for item in items if item.dependencies or item.parent_call_id]
    absent: dict[str, tuple[str, ...]] = {}
    if not needy:
        return tuple(items), absent
    present = {item.item_id for item in items}
    while True:
        fallen = {
            item.item_id: missing
            for item in needy
            if item.item_id in present and (missing := tuple(n for n in needs_of(item) if n not in present))
        }
        if not fallen:
            break
        for item in needy:
            if item.mandatory and item.item_id in fallen:
                raise MissingDependency(item.item_id, fallen[item.item_id])
        absent.update(fallen)
        present -= fallen.keys()
    return tuple(item for item in items if item.item_id in present), absent
