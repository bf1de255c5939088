"""Diagnose: which one of the six causes kept something from the model or from the answer; it repairs nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import ContextManifest, Decision, ItemRecord, Reason, Verdict
from conspectus.errors import InputError
from conspectus.inspection.bodies import read_body
from conspectus.inspection.facts import Fact, quotes
from conspectus.inspection.fates import Fate, Reach, ends_of, fate
from conspectus.inspection.subjects import meant_by, subjects_of, unknown

_LOST_TO = 3
_SOURCE = "source/"


class Cause(StrEnum):
    """The six causes; and `provided`, where nothing kept it: from the model, or from the answer as well."""

    NOT_RETRIEVED = "not_retrieved"
    NOT_AUTHORIZED = "not_authorized"
    EXCLUDED = "excluded_in_selection"
    LOST = "lost_in_reduction"
    BROKEN = "broken_in_serialization"
    NOT_USED = "provided_but_not_used"
    PROVIDED = "provided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Exactly one cause and what it rests on.

    Attributes:
        what: what was asked for.
        cause: the cause.
        explanation: why this cause, and what to do next.
        subjects: ids it rests on, the one that came furthest first.
        decision: the decision that ended that one's way, with score parts, tokens and reason.
        record: its place in the payload, if it has one.
        pointer: where the original is.
        price: value per token of the last item that was let in.
        lost_to: ids of what it would have had to beat, or of what stands for it.
    """

    what: str
    cause: Cause
    explanation: str
    subjects: tuple[str, ...] = ()
    decision: Decision | None = None
    record: ItemRecord | None = None
    pointer: str = ""
    price: float = 0.0
    lost_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What can be looked at beside the manifest.

    Attributes:
        candidates: the archived candidates, or None when they are gone.
        body: the payload as it left, or None when it cannot be rebuilt.
        answer: the model's answer, or None.
        withheld: candidates the caller of the assembly may not read, where whoever asks has gathered them; or None.
        operator: whether whoever asks may know that something was withheld.
    """

    candidates: Sequence[ContextItem] | None = None
    body: str | None = None
    answer: str | None = None
    withheld: Sequence[ContextItem] | None = None
    operator: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    what: str
    manifest: ContextManifest
    known: Knowledge
    fact: Fact | None
    items: Mapping[str, ContextItem]


def diagnose(manifest: ContextManifest, what: str, known: Knowledge) -> Diagnosis:
    """The one cause that kept `what`, an item, file, source or fact, from the model or from the answer.

    Where several items hold a fact, the one that came furthest decides.

    Raises:
        InputError: `what` is empty, or can only be a fact and there is no content to look for it in.
    """
    fact = Fact(what)
    subjects = subjects_of(manifest)
    meant = meant_by(what, subjects)
    items = {item.item_id: item for item in known.candidates or ()}
    case = _Case(what=what, manifest=manifest, known=known, fact=None if meant else fact, items=items)
    if meant and all(subject.startswith(_SOURCE) for subject in meant):
        return _of_source(case, meant)
    if not meant and known.candidates is None:
        raise InputError(what, f"{unknown(what, subjects).message}; for facts the archived content is needed, and gone")
    fates = _fates(case, meant or _holders(fact, known.candidates or ()))
    return _told(case, fates) if fates else _absent(case)


def _holders(fact: Fact, items: Sequence[ContextItem]) -> tuple[str, ...]:
    """Ids of the items that hold the fact; the question does not count, it only asks."""
    asked = [item for item in items if item.kind is not Kind.REQUEST]
    return tuple(asked[number].item_id for number in fact.holders([item.content for item in asked]))


def _fates(case: _Case, subjects: Sequence[str]) -> list[Fate]:
    """What became of each subject, the furthest first."""
    ends = ends_of(case.manifest)
    body = None if case.known.body is None else read_body(case.known.body, case.manifest.format)
    found = (fate(subject, ends, case.items.get(subject), case.fact, body) for subject in subjects)
    return sorted((one for one in found if one is not None), key=lambda one: -one.reach)


def _told(case: _Case, fates: Sequence[Fate]) -> Diagnosis:
    """The cause of the fate that came furthest."""
    first = fates[0]
    shared = Diagnosis(
        what=case.what,
        cause=Cause.PROVIDED,
        explanation="",
        subjects=tuple(one.subject for one in fates),
        decision=first.decision,
        record=first.record,
        pointer=_pointer(first),
        price=case.manifest.price,
    )
    match first.reach:
        case Reach.PROVIDED:
            return _provided(case, shared, fates)
        case Reach.BROKEN:
            text = (
                f"{first.subject} was let in, but the payload does not hold its text: this is a fault, please report it"
            )
            return replace(shared, cause=Cause.BROKEN, explanation=text)
        case Reach.LOST:
            return replace(shared, cause=Cause.LOST, explanation=_loss(first, shared.pointer))
        case Reach.EXCLUDED:
            lost_to = _lost_to(case.manifest, first)
            text = _exclusion(case.manifest, first, lost_to)
            return replace(shared, cause=Cause.EXCLUDED, explanation=text, lost_to=lost_to)
        case Reach.UNREACHABLE if not case.known.operator:
            return _absent(case)
        case Reach.UNREACHABLE:
            text = f"{first.subject} had expired by {case.manifest.assembled_at}; renew it at its source"
            return replace(shared, cause=Cause.NOT_AUTHORIZED, explanation=text)
        case _:
            return replace(shared, cause=Cause.NOT_RETRIEVED, explanation=_unread(first))


def _provided(case: _Case, shared: Diagnosis, fates: Sequence[Fate]) -> Diagnosis:
    inside = [one.subject for one in fates if one.reach is Reach.PROVIDED]
    told = _presence(case, inside, len(fates))
    answer = case.known.answer
    if answer is None:
        return replace(shared, explanation=f"{told}; give --answer to see whether it was used")
    if _is_used(case, inside, answer):
        return replace(shared, explanation=f"{told}, and the answer uses it")
    text = f"{told}, and the answer does not use it; look at its place and its neighbours"
    return replace(shared, cause=Cause.NOT_USED, explanation=text)


def _presence(case: _Case, inside: Sequence[str], parts: int) -> str:
    """What was in the payload, by name: the items that hold a fact, or how many parts of what was named."""
    more = f" and {len(inside) - _LOST_TO:,} more" if len(inside) > _LOST_TO else ""
    names = ", ".join(inside[:_LOST_TO]) + more
    if case.fact is not None:
        return f"{names} {'holds' if len(inside) == 1 else 'hold'} it in the payload"
    if len(inside) < parts:
        return f"{len(inside)} of {parts} parts in the payload: {names}"
    return f"{names} {'is' if len(inside) == 1 else 'are'} in the payload"


def _is_used(case: _Case, inside: Sequence[str], answer: str) -> bool:
    """Whether the answer says the fact; of an item, whether it cites or quotes it."""
    if case.fact is not None:
        return case.fact.held_by(answer)
    items = (case.items.get(subject) for subject in inside)
    return any(subject in answer for subject in inside) or any(item and quotes(answer, item.content) for item in items)


def _pointer(one: Fate) -> str:
    """Where the original of something reduced or compacted is."""
    if one.record is None:
        return ""
    if one.subject != one.record.id:
        return one.subject
    details = (link.detail for link in one.record.transformations if link.step != "sanitize")
    return next(filter(None, details), one.record.source_uri or one.subject)


def _loss(one: Fate, pointer: str) -> str:
    if one.record is None:
        return f"{one.subject} was left out by the reduction ladder; raise --input-limit"
    if one.subject != one.record.id:
        return f"{one.subject} went into {one.record.id}; the original is {pointer}"
    steps = ", ".join(link.step for link in one.record.transformations)
    return f"{one.subject} was let in after {steps}; the original is {pointer}; a higher --input-limit keeps more of it"


_MEASURES = {
    Reason.BUDGET_EXCEEDED: "raise --input-limit, or narrow what competes with it",
    Reason.SHARE_EXCEEDED: "raise the maximum of --share for its kind",
    Reason.BELOW_RELEVANCE: "lower the ranking floor, or ask in its words",
    Reason.DEPENDENCY_ABSENT: "offer what it depends on",
}


def _exclusion(manifest: ContextManifest, one: Fate, lost_to: Sequence[str]) -> str:
    decision = one.decision
    if decision is None:
        return f"{one.subject} was left out"
    others = f" ({', '.join(lost_to)})" if lost_to else ""
    if decision.reason not in _MEASURES:
        return f"{one.subject} was left out as {decision.reason}{others}; what stands for it is judged in its place"
    value = dict(decision.scores).get("value")
    worth = "" if value is None else f", value {value:g}"
    cost = f", {decision.tokens:,} tokens" if decision.tokens else ""
    price = f", price {manifest.price:.3g} per token" if manifest.price else ""
    return f"{one.subject} was left out as {decision.reason}{worth}{cost}{price}{others}; {_MEASURES[decision.reason]}"


def _lost_to(manifest: ContextManifest, one: Fate) -> tuple[str, ...]:
    """What it lost to: as recorded, or the items of least value per token that were bought, or the largest."""
    if one.decision is None or one.decision.related or one.decision.reason is not Reason.BUDGET_EXCEEDED:
        return () if one.decision is None else one.decision.related
    bought = [
        (dict(decision.scores).get("value", 0.0) / max(decision.tokens, 1), decision.subject)
        for decision in manifest.decisions
        if decision.reason is Reason.VALUE and decision.verdict is not Verdict.OMITTED
    ]
    larger = [(-record.tokens, record.id) for record in manifest.items]
    return tuple(subject for _, subject in sorted(bought or larger)[:_LOST_TO])


def _unread(one: Fate) -> str:
    if one.decision is None:
        return f"no source offered {one.subject}"
    detail = f": {one.decision.detail}" if one.decision.detail else ""
    return f"{one.decision.subject} was not read, {one.decision.reason}{detail}"


def _of_source(case: _Case, meant: Sequence[str]) -> Diagnosis:
    """The cause for a source as a whole: it failed, was refused, or offered something that then went its own way."""
    decisions = [decision for decision in case.manifest.decisions if decision.subject in meant]
    failed = next((decision for decision in decisions if decision.verdict is Verdict.FAILED), None)
    told = Diagnosis(what=case.what, cause=Cause.NOT_RETRIEVED, explanation="", subjects=tuple(meant))
    if failed is not None:
        return replace(
            told, explanation=f"{failed.subject} failed ({failed.detail}) and offered nothing", decision=failed
        )
    refused = sum(count for source, count in case.manifest.refused if _SOURCE + source in meant)
    if refused and case.known.operator:
        text = f"{refused:,} candidates of {meant[0]} may not be read by {case.manifest.principal}"
        return replace(told, cause=Cause.NOT_AUTHORIZED, explanation=text)
    offered = next((decision for decision in decisions if decision.reason is Reason.GATHERED), None)
    text = f"{meant[0]} offered {offered.detail}; ask for one of them" if offered else f"{meant[0]} offered nothing"
    return replace(told, explanation=text, decision=offered)


def _absent(case: _Case) -> Diagnosis:
    """Nothing that the caller could read holds it: withheld, as far as whoever asks may know, or not retrieved."""
    told = Diagnosis(what=case.what, cause=Cause.NOT_RETRIEVED, explanation="")
    failed = [decision for decision in case.manifest.decisions if decision.verdict is Verdict.FAILED]
    names = tuple(decision.subject for decision in failed)
    own = [name for name in names if case.what.startswith(f"{name.removeprefix(_SOURCE)}/")]
    if case.known.operator and not own and (withheld := _withheld(case)):
        return replace(told, cause=Cause.NOT_AUTHORIZED, explanation=withheld)
    if failed:
        causes = ", ".join(f"{decision.subject} ({decision.detail})" for decision in failed)
        text = f"no source offered it; these failed: {causes}"
        return replace(told, explanation=text, subjects=tuple(own) or names, decision=failed[0])
    return replace(told, explanation="no source offered it; add the folder or file that holds it with --in or --items")


def _withheld(case: _Case) -> str:
    """Why it counts as withheld, or nothing."""
    manifest = case.manifest
    if case.known.withheld is None:
        parts = ", ".join(f"{count:,} of {source}" for source, count in manifest.refused if count)
        doubt = "which ones they are is recorded nowhere, so it may be among them"
        return f"no source offered it to {manifest.principal}, who may not read {parts}: {doubt}" if parts else ""
    fact = Fact(case.what)
    ids = [item.item_id for item in case.known.withheld]
    found = meant_by(case.what, ids) or _holders(fact, case.known.withheld)
    return f"{found[0]} holds it, and {manifest.principal} may not read it" if found else ""
