"""Clean what would deceive: invisible and control characters, borrowed authority; it drops nothing that has text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from conspectus.assembly.table import Chains
from conspectus.core.item import Authority, ContextItem, Trust, lowest_authority
from conspectus.core.manifest import Decision, Reason, Stage, Transformation, Verdict
from conspectus.core.message import Message, Part, TextPart, ToolCallPart, ToolResultPart
from conspectus.text.sanitize import sanitize


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """Candidates whose text and authority can be relied on, and how each was changed."""

    items: tuple[ContextItem, ...]
    decisions: tuple[Decision, ...]
    chains: Chains


def clean(items: Sequence[ContextItem], now: datetime) -> Cleaned:
    """Remove deceptive characters, bound derived authority and note items from the future."""
    kept: list[ContextItem] = []
    decisions: list[Decision] = []
    chains: dict[str, tuple[Transformation, ...]] = {}
    bounds = _bounds(items)
    for item in items:
        washed, removed = _wash(item)
        if removed:
            decisions.append(_note(item, Reason.SANITIZED, removed))
            link = Transformation(step="sanitize", before=item.content_hash, after=washed.content_hash, detail=removed)
            chains[item.item_id] = (link,)
        if item.item_id in bounds:
            authority, trust = bounds[item.item_id]
            decisions.append(_note(item, Reason.AUTHORITY, f"{authority.name.lower()} {trust}"))
            washed = replace(washed, authority=authority, trust=trust)
        if item.observed_at is not None and item.observed_at > now:
            decisions.append(_note(item, Reason.FROM_FUTURE, "observed after the call"))
        if washed.content.strip() or washed.messages:
            kept.append(washed)
        else:
            decisions.append(
                Decision(subject=item.item_id, stage=Stage.CLEAN, verdict=Verdict.OMITTED, reason=Reason.MALFORMED)
            )
    return Cleaned(items=tuple(kept), decisions=tuple(decisions), chains=chains)


def _note(item: ContextItem, reason: Reason, detail: str) -> Decision:
    return Decision(subject=item.item_id, stage=Stage.CLEAN, verdict=Verdict.NOTED, reason=reason, detail=detail)


def _wash(item: ContextItem) -> tuple[ContextItem, str]:
    """The item with clean text, and what was removed, such as `bidi 2, escape 1`; the same object when clean."""
    cleaned = sanitize(item.content)
    removals = list(cleaned.removals)
    messages: list[Message] = []
    for message in item.messages:
        parts, taken = _wash_parts(message.parts)
        messages.append(replace(message, parts=parts) if taken else message)
    if not removals and all(new is old for new, old in zip(messages, item.messages, strict=True)):
        return item, ""
    described = ", ".join(sorted(f"{removal.kind} {removal.count}" for removal in removals)) or "turns"
    return replace(item, content=cleaned.text, messages=tuple(messages)), described


def _wash_parts(parts: Iterable[Part]) -> tuple[tuple[Part, ...], bool]:
    washed: list[Part] = []
    taken = False
    for part in parts:
        match part:
            case TextPart() | ToolResultPart():
                new: Part = replace(part, text=sanitize(part.text).text)
            case ToolCallPart():
                new = replace(part, arguments=sanitize(part.arguments).text)
            case _:
                new = part
        taken = taken or new != part
        washed.append(new if new != part else part)
    return tuple(washed), taken


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
