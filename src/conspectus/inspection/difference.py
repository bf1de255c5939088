"""Difference: what entered, left, moved, grew or shrank from one payload to another, and why; it ranks neither."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from conspectus.core.canonical import Plain, plain
from conspectus.core.manifest import ContextManifest, Decision, ItemRecord, Verdict

_ENDS = frozenset({Verdict.KEPT, Verdict.TRANSFORMED, Verdict.OMITTED})


class Change(StrEnum):
    """What happened to an item; one that grew may have moved as well, and is named once for each."""

    ENTERED = "entered"
    LEFT = "left"
    MOVED = "moved"
    GREW = "grew"
    SHRANK = "shrank"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One change of one item.

    Attributes:
        subject: its id.
        before, after: its place in each payload, None where it has none.
        was, became: the decision that ended its way each time, None where it was no candidate.
        cause: why, in a few words.
    """

    change: Change
    subject: str
    before: ItemRecord | None
    after: ItemRecord | None
    was: Decision | None
    became: Decision | None
    cause: str

    @property
    def tokens(self) -> int:
        """By how many tokens this item's part of the payload changed."""
        return (self.after.tokens if self.after else 0) - (self.before.tokens if self.before else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting that differs: its dotted path, and both values as JSON's own types."""

    path: str
    before: Plain
    after: Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """From one payload to another.

    Attributes:
        steps: every change, in the order of the second payload, what left at the end.
        settings: parts of spec, caller and moment that differ.
        unchanged: items that are in both as they were.
        tokens: by how many the payload changed.
        headings: by how many tokens what is no item changed.
        is_same: both payloads are the same bytes.
    """

    steps: tuple[Step, ...]
    settings: tuple[Setting, ...]
    unchanged: int
    tokens: int
    headings: int
    is_same: bool


def difference(before: ContextManifest, after: ContextManifest) -> Difference:
    """What changed from one payload to the other, and why each item did."""
    old = {record.id: record for record in before.items}
    new = {record.id: record for record in after.items}
    ends = (_ends(before), _ends(after))
    common = [record.id for record in after.items if record.id in old]
    moved = _moved(common, old, new)
    steps: list[Step] = []
    for name in (*new, *(name for name in old if name not in new)):
        changes = _changes(old.get(name), new.get(name), name in moved)
        steps.extend(_step(change, name, old, new, ends) for change in changes)
    touched = {step.subject for step in steps}
    total = after.input_tokens - before.input_tokens
    of_items = sum(record.tokens for record in after.items) - sum(record.tokens for record in before.items)
    return Difference(
        steps=tuple(steps),
        settings=tuple(_settings(before, after)),
        unchanged=sum(1 for name in common if name not in touched),
        tokens=total,
        headings=total - of_items,
        is_same=before.payload_hash == after.payload_hash,
    )


def _ends(manifest: ContextManifest) -> dict[str, Decision]:
    return {decision.subject: decision for decision in manifest.decisions if decision.verdict in _ENDS}


def _changes(before: ItemRecord | None, after: ItemRecord | None, has_moved: bool) -> Iterator[Change]:
    if before is None or after is None:
        yield Change.ENTERED if before is None else Change.LEFT
        return
    if after.tokens > before.tokens:
        yield Change.GREW
    elif after.tokens < before.tokens:
        yield Change.SHRANK
    elif before.hash != after.hash or before.transformations != after.transformations:
        yield Change.REWRITTEN
    if has_moved:
        yield Change.MOVED


def _moved(common: Sequence[str], old: Mapping[str, ItemRecord], new: Mapping[str, ItemRecord]) -> frozenset[str]:
    """Items under another heading, and the fewest whose moving explains the new order of the rest.

    What stays is a longest increasing subsequence of the old positions (Schensted 1961).
    """
    apart = {name for name in common if old[name].section != new[name].section}
    rest = [name for name in common if name not in apart]
    tails: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    for index, name in enumerate(rest):
        position = old[name].position
        length = bisect_left(tails, position)
        previous.append(last[length - 1] if length else -1)
        tails[length:] = [position] if length == len(tails) else [position, *tails[length + 1 :]]
        last[length:] = [index] if length == len(last) else [index, *last[length + 1 :]]
    stays: set[str] = set()
    index = last[-1] if last else -1
    while index >= 0:
        stays.add(rest[index])
        index = previous[index]
    return frozenset(apart.union(name for name in rest if name not in stays))


def _step(
    change: Change,
    name: str,
    old: Mapping[str, ItemRecord],
    new: Mapping[str, ItemRecord],
    ends: tuple[Mapping[str, Decision], Mapping[str, Decision]],
) -> Step:
    before, after = old.get(name), new.get(name)
    was, became = ends[0].get(name), ends[1].get(name)
    return Step(
        change=change,
        subject=name,
        before=before,
        after=after,
        was=was,
        became=became,
        cause=_cause(change, before, after, (was, became)),
    )


def _cause(
    change: Change,
    before: ItemRecord | None,
    after: ItemRecord | None,
    decided: tuple[Decision | None, Decision | None],
) -> str:
    """Why: from the decisions for what entered or left, from the records for what is in both."""
    was, became = decided
    if change is Change.ENTERED:
        return f"{_told(was)}, now {_told(became)}"
    if change is Change.LEFT:
        return f"was {_told(was)}, now {_told(became)}"
    if before is None or after is None:
        return ""
    if change is Change.MOVED:
        other = before.section != after.section
        return f"from [{before.section}] to [{after.section}]" if other else f"{before.position} → {after.position}"
    if before.hash != after.hash:
        return "the source has another text"
    if before.transformations != after.transformations:
        steps = [", ".join(link.step for link in record.transformations) or "whole" for record in (before, after)]
        return f"was {steps[0]}, now {steps[1]}"
    return "the same text is written or counted otherwise"


def _told(decision: Decision | None) -> str:
    if decision is None:
        return "no candidate"
    to = f" by {', '.join(decision.related[:2])}" if decision.related and decision.verdict is Verdict.OMITTED else ""
    return f"{decision.verdict} ({decision.reason}{to})"


def _settings(before: ContextManifest, after: ContextManifest) -> Iterator[Setting]:
    """Every part of spec, caller and moment that differs."""
    old, new = (dict(_flat("", _call(manifest))) for manifest in (before, after))
    for path in sorted(old.keys() | new.keys()):
        if old.get(path) != new.get(path):
            yield Setting(path=path, before=old.get(path), after=new.get(path))


def _call(manifest: ContextManifest) -> Plain:
    caller = (manifest.principal, manifest.tenant, list(manifest.groups))
    return {
        "principal": caller[0],
        "tenant": caller[1],
        "groups": plain(caller[2]),
        "now": manifest.assembled_at,
        "spec": plain(manifest.spec),
    }


def _flat(path: str, value: Plain) -> Iterator[tuple[str, Plain]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _flat(f"{path}.{name}" if path else name, part)
    else:
        yield path, value
