"""What candidates say about each other: the same thing once more, or the opposite; it judges neither of them right."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from conspectus.assembly.table import Ranked, rewire
from conspectus.core.item import ContextItem, Kind, Trust
from conspectus.core.manifest import Decision, Reason, Stage, Verdict
from conspectus.core.spec import TrustPolicy
from conspectus.text.differences import Verdict as Difference
from conspectus.text.differences import compare
from conspectus.text.shingles import similar_pairs

Twins: TypeAlias = Mapping[str, tuple[str, ...]]

_COMPARED = frozenset({Kind.EVIDENCE, Kind.MEMORY, Kind.NOTE, Kind.CHECKPOINT, Kind.TOOL_RESULT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Candidates that no longer repeat each other.

    Attributes:
        ranked: what is left, in the same order.
        twins: for a kept item, the ids of all copies and near-copies it stands for.
        conflicts: groups of ids that contradict each other; a group is shown whole or not at all.
    """

    ranked: Ranked
    decisions: tuple[Decision, ...]
    twins: Twins
    conflicts: tuple[tuple[str, ...], ...]


def relate(ranked: Ranked, twins: Twins, policy: TrustPolicy) -> Related:
    """Collapse near-copies and group contradictions.

    Turns, instructions and results bound to a call are left alone: they may repeat. Only sources of the same trust
    stand in conflict with each other, so that nobody can dispute a trusted text by naming it.
    """
    items = [item for item in ranked.items if item.kind in _COMPARED and not item.parent_call_id]
    merged: dict[int, int] = {}
    rivals: list[tuple[int, int]] = []
    for pair in similar_pairs([item.content for item in items], threshold=policy.near_duplicate):
        verdict = compare(items[pair.left].content, items[pair.right].content).verdict
        if verdict is Difference.CONTRADICTS and items[pair.left].trust is items[pair.right].trust:
            rivals.append((pair.left, pair.right))
        elif verdict in (Difference.SAME, Difference.CONTAINED):
            _merge(merged, items, (pair.left, pair.right), longer_stays=verdict is Difference.CONTAINED)
    standing = {(_stands(merged, left), _stands(merged, right)) for left, right in rivals}
    conflicts = _groups(sorted((left, right) for left, right in standing if left != right))
    return _without(ranked, twins, items, (merged, conflicts))


def _merge(merged: dict[int, int], items: Sequence[ContextItem], pair: tuple[int, int], *, longer_stays: bool) -> None:
    """Let one of two near-copies stand for the other: of a text and a part of it the text, else the better source.

    What is mandatory, or cannot be read without something else, stays beside its copy.
    """
    left, right = (_stands(merged, index) for index in pair)
    if left == right:
        return
    ranks = [(len(items[i].content) if longer_stays else 0, *_standing(items[i])) for i in (left, right)]
    keeper, copy = (left, right) if ranks[0] >= ranks[1] else (right, left)
    if not items[copy].mandatory and not items[copy].dependencies:
        merged[copy] = keeper


def _stands(merged: Mapping[int, int], index: int) -> int:
    while index in merged:
        index = merged[index]
    return index


def _standing(item: ContextItem) -> tuple[bool, bool, int, float]:
    observed = item.observed_at.timestamp() if item.observed_at else 0.0
    return (item.mandatory, item.trust is Trust.TRUSTED, len(item.content), observed)


def _groups(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Connected groups of contradicting items, each sorted, in order of their first member."""
    groups: list[set[int]] = []
    for a, b in pairs:
        touching = [group for group in groups if a in group or b in group]
        groups = [group for group in groups if group not in touching]
        groups.append({a, b}.union(*touching))
    return sorted(tuple(sorted(group)) for group in groups)


def _without(
    ranked: Ranked,
    twins: Twins,
    items: Sequence[ContextItem],
    found: tuple[Mapping[int, int], Sequence[tuple[int, ...]]],
) -> Related:
    """What is left; each keeper stands for its own copies, what was merged into it, and the copies of that."""
    merged, groups = found
    stands_for = dict(twins)
    decisions: list[Decision] = []
    for copy in sorted(merged):
        keeper = items[_stands(merged, copy)].item_id
        name = items[copy].item_id
        stands_for[keeper] = (*stands_for.get(keeper, ()), name, *twins.get(name, ()))
        decisions.append(
            Decision(
                subject=items[copy].item_id,
                stage=Stage.DEDUPE,
                verdict=Verdict.OMITTED,
                reason=Reason.NEAR_DUPLICATE,
                related=(keeper,),
            )
        )
    conflicts = tuple(tuple(items[index].item_id for index in group) for group in groups)
    for group in conflicts:
        decisions.extend(_conflict(name, group) for name in group)
    gone = {items[copy].item_id for copy in merged}
    stays = [index for index, item in enumerate(ranked.items) if item.item_id not in gone]
    left = ranked
    if gone:
        left = ranked.only(np.array(stays, dtype=np.int64))
        keepers = {items[copy].item_id: items[_stands(merged, copy)].item_id for copy in merged}
        left = replace(left, items=rewire(left.items, keepers))
    return Related(ranked=left, decisions=tuple(decisions), twins=stands_for, conflicts=conflicts)


def _conflict(name: str, group: Sequence[str]) -> Decision:
    return Decision(
        subject=name,
        stage=Stage.DEDUPE,
        verdict=Verdict.NOTED,
        reason=Reason.CONFLICT,
        related=tuple(other for other in group if other != name),
    )
