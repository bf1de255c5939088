"""The manifest of one assembly, put together from what every stage decided; it decides nothing itself."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

import numpy as np

from conspectus.assembly.fit import Fitted
from conspectus.assembly.table import PARTS, Chains, Ranked
from conspectus.core.call import Caller, Payload, Request
from conspectus.core.canonical import canonical_hash, text_hash, timestamp
from conspectus.core.item import ContextItem
from conspectus.core.manifest import (
    ContextManifest,
    Decision,
    ItemRecord,
    Ledger,
    Reason,
    Run,
    SlotRecord,
    Stage,
    Transformation,
    Verdict,
)
from conspectus.core.message import SealedPart
from conspectus.core.ports import ModelProfile
from conspectus.core.spec import ContextSpec
from conspectus.relevance.signals import SIGNALS

_LOST_TO = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What the walk knows when it ends.

    Attributes:
        allowed: the authorized candidates, as their sources hold them.
        decisions: of every stage before selection.
        lost: the ends of those that did not contend.
        refused: per source, how many candidates the caller may not read.
    """

    request: Request
    caller: Caller
    spec: ContextSpec
    now: datetime
    allowed: tuple[ContextItem, ...]
    decisions: tuple[Decision, ...]
    lost: tuple[Run, ...]
    refused: tuple[tuple[str, int], ...]
    chains: Chains
    conflicts: tuple[tuple[str, ...], ...]
    conflict: Mapping[str, str]


def record(walk: Walk, ranked: Ranked, fitted: Fitted, payload: Payload, profile: ModelProfile) -> ContextManifest:
    """Why this payload: every candidate's end, every kept item's chain, and how the count is made up."""
    items = _records(walk, fitted)
    held = sum(item.tokens for item in items)
    decisions = Ledger((*walk.decisions, *_endings(walk, ranked, fitted)), walk.lost)
    alarms: list[str] = []
    if fitted.join_tokens:
        alarms.append(
            f"the parts add up to {fitted.join_tokens:+d} tokens of the payload; the payload was counted whole"
        )
    return ContextManifest(
        request_id=request_id(walk),
        spec_hash=walk.spec.hash,
        spec=walk.spec,
        principal=walk.caller.principal,
        tenant=walk.caller.tenant,
        groups=tuple(sorted(walk.caller.groups)),
        assembled_at=timestamp(walk.now),
        format=payload.form.value,
        model=walk.spec.model,
        exactness=profile.exactness.value,
        margin=profile.margin,
        input_tokens=payload.tokens,
        input_limit=walk.spec.budget.allowed,
        scaffold_tokens=payload.tokens - held - fitted.join_tokens,
        join_tokens=fitted.join_tokens,
        payload_hash=payload.payload_hash,
        candidates="",
        items=items,
        decisions=decisions,
        refused=walk.refused,
        conflicts=_shown(walk.conflicts, items),
        slots=_slots(walk.request, fitted),
        price=fitted.selection.price,
        value=round(fitted.selection.value, 6),
        bound=round(fitted.selection.bound, 6),
        alarms=tuple(alarms),
    )


def request_id(walk: Walk) -> str:
    """Sixteen hexadecimal digits that are the same for the same call on the same candidates."""
    seen = sorted(walk.allowed, key=attrgetter("item_id"))
    candidates = text_hash("\n".join([f"{item.content_hash} {item.item_id}" for item in seen]))
    caller = (walk.caller.principal, walk.caller.tenant, walk.caller.groups)
    return canonical_hash((walk.spec.hash, caller, timestamp(walk.now), walk.request, candidates))[:16]


def _records(walk: Walk, fitted: Fitted) -> tuple[ItemRecord, ...]:
    places = [(section, index) for section, indices in fitted.arrangement for index in indices]
    records: list[ItemRecord] = []
    for position, (section, index) in enumerate(places):
        item = fitted.priced.items[index]
        chain = _chain(item, walk, fitted)
        records.append(
            ItemRecord(
                id=item.item_id,
                hash=chain[0].before if chain else item.content_hash,
                tokens=int(fitted.priced.tokens[index]),
                position=position,
                kind=item.kind.value,
                role=item.role.value,
                authority=item.authority.name.lower(),
                section=section.value,
                source_uri=item.source_uri,
                source_version=item.source_version,
                observed_at=timestamp(item.observed_at) if item.observed_at else "",
                mandatory=item.mandatory,
                dependencies=item.dependencies,
                derived_from=item.derived_from,
                conflict=walk.conflict.get(item.item_id, ""),
                transformations=chain,
            )
        )
    return tuple(records)


def _chain(item: ContextItem, walk: Walk, fitted: Fitted) -> tuple[Transformation, ...]:
    """Everything that was done to an item between its source and the payload, in order."""
    chain = walk.chains.get(item.item_id, ())
    if item.item_id in fitted.shortened:
        chain = (*chain, fitted.shortened[item.item_id])
    parts = (part for message in item.messages for part in message.parts)
    sealed = Counter(p.provider for p in parts if isinstance(p, SealedPart) and p.provider != walk.spec.form.value)
    if sealed:
        detail = ", ".join(f"{count} sealed for {provider}" for provider, count in sorted(sealed.items()))
        link = Transformation(step="unseal", before=item.content_hash, after=item.content_hash, detail=detail)
        chain = (*chain, link)
    return chain


def _endings(walk: Walk, ranked: Ranked, fitted: Fitted) -> Iterable[Decision]:
    """One last decision for every candidate that reached the selection."""
    selection = fitted.selection
    lost_to = _weakest(ranked, fitted)
    tokens = fitted.priced.tokens.tolist()
    scores = ranked.scores(np.arange(len(ranked.items))).tolist()
    signals = ranked.signals.round(3).tolist()
    rows = zip(ranked.items, selection.reasons, scores, signals, strict=True)
    for index, (item, reason, row, said) in enumerate(rows):
        kept = bool(selection.chosen[index])
        changed = kept and bool(_chain(item, walk, fitted))
        reduced = kept and item.item_id in fitted.shortened
        verdict = Verdict.TRANSFORMED if changed else Verdict.KEPT if kept else Verdict.OMITTED
        yield Decision(
            subject=item.item_id,
            stage=Stage.REDUCE if reduced else Stage.SELECT,
            verdict=verdict,
            reason=Reason.REDUCED if reduced else reason,
            tokens=tokens[index],
            scores=(
                *(pair for pair in zip(PARTS, row, strict=True) if pair[1] == pair[1]),
                *(pair for pair in zip(SIGNALS, said, strict=True) if pair[1]),
            ),
            related=() if kept else lost_to,
        )


def _weakest(ranked: Ranked, fitted: Fitted) -> tuple[str, ...]:
    """The chosen items of least value per token, weakest last: what an omitted one would have had to beat."""
    chosen: list[int] = np.flatnonzero(fitted.selection.chosen).tolist()
    bought = np.array([i for i in chosen if fitted.selection.reasons[i] is Reason.VALUE], dtype=np.int64)
    density = ranked.values[bought] / np.maximum(fitted.priced.tokens[bought], 1)
    weakest: list[int] = bought[np.argsort(-density, kind="stable")][-_LOST_TO:].tolist()
    return tuple(fitted.priced.items[index].item_id for index in weakest)


def _shown(conflicts: Sequence[tuple[str, ...]], items: Sequence[ItemRecord]) -> tuple[tuple[str, ...], ...]:
    present = {item.id for item in items}
    return tuple(group for group in conflicts if present.issuperset(group))


def _slots(request: Request, fitted: Fitted) -> tuple[SlotRecord, ...]:
    names = [item.item_id for item in fitted.priced.items]
    return tuple(
        SlotRecord(name=slot.name, filled_by=tuple(names[index] for index in by))
        for slot, by in zip(request.slots, fitted.filled, strict=True)
    )
