"""Clean what would deceive the eye or the terminal: invisible and control characters, each recorded."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from conspectus.assembly.table import Chains, Ranked
from conspectus.core.item import ContextItem
from conspectus.core.manifest import Decision, Reason, Stage, Transformation, Verdict
from conspectus.core.message import Message, Part, TextPart, ToolCallPart, ToolResultPart
from conspectus.text.sanitize import sanitize


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """Candidates whose text can be relied on, and how each was changed."""

    ranked: Ranked
    decisions: tuple[Decision, ...]
    chains: Chains


def clean(ranked: Ranked, now: datetime) -> Cleaned:
    """Remove or mark deceptive characters, and note items from the future."""
    washed: list[ContextItem] = []
    decisions: list[Decision] = []
    chains: dict[str, tuple[Transformation, ...]] = {}
    for item in ranked.items:
        new, removed = _wash(item)
        washed.append(new)
        if removed:
            decisions.append(_note(item, Reason.SANITIZED, removed))
            link = Transformation(step="sanitize", before=item.content_hash, after=new.content_hash, detail=removed)
            chains[item.item_id] = (link,)
        if item.observed_at is not None and item.observed_at > now:
            decisions.append(_note(item, Reason.FROM_FUTURE, "observed after the call"))
    return Cleaned(ranked=replace(ranked, items=tuple(washed)), decisions=tuple(decisions), chains=chains)


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
