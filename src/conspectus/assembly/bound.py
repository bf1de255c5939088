"""Borrowed authority: what was made from something may never stand above it; no text is looked at."""

from collections.abc import Sequence
from dataclasses import replace

from conspectus.core.item import Authority, ContextItem, Trust, lowest_authority
from conspectus.core.manifest import Decision, Reason, Stage, StageResult, Verdict


def bound(items: Sequence[ContextItem]) -> StageResult:
    """Lower every derived item to the least authority and trust of its sources, and record it."""
    lowered = _bounds(items)
    if not lowered:
        return StageResult(items=tuple(items))
    bounded = tuple(
        replace(item, authority=lowered[item.item_id][0], trust=lowered[item.item_id][1])
        if item.item_id in lowered
        else item
        for item in items
    )
    decisions = tuple(
        Decision(
            subject=name,
            stage=Stage.AUTHORIZE,
            verdict=Verdict.NOTED,
            reason=Reason.AUTHORITY,
            detail=f"{authority.name.lower()} {trust.value}",
        )
        for name, (authority, trust) in lowered.items()
    )
    return StageResult(items=bounded, decisions=decisions)


def _bounds(items: Sequence[ContextItem]) -> dict[str, tuple[Authority, Trust]]:
    """Authority and trust of every derived item that claims more than its sources have.

    An unknown source counts as untrusted data, so that a missing link raises nothing.
    """
    derived = {item.item_id: item for item in items if item.derived_from}
    if not derived:
        return {}
    roots = {item.item_id: (item.authority, item.trust) for item in items if not item.derived_from}
    settled: dict[str, tuple[Authority, Trust]] = dict(roots)
    pending = dict(derived)
    while pending:
        ready = [name for name, item in pending.items() if not any(s in pending for s in item.derived_from)]
        for name in ready or list(pending):
            item = pending.pop(name)
            sources = [settled.get(s, (Authority.DATA, Trust.UNTRUSTED)) for s in item.derived_from]
            authority = min(item.authority, lowest_authority(a for a, _ in sources))
            trusted = all(trust is Trust.TRUSTED for _, trust in sources) and item.trust is Trust.TRUSTED
            settled[name] = (authority, Trust.TRUSTED if trusted else Trust.UNTRUSTED)
    return {name: settled[name] for name, item in derived.items() if settled[name] != (item.authority, item.trust)}
