"""Quality: how good the choice of one payload looks from outside, in figures with their formulas; no model judges here.

The measures are those of the ninth chapter of *Hello-Agents* and of the exercise answers on it: relevance, completeness
against evidence slots, density, conflicts, coverage, recency and use of the budget. None of them is calibrated on
labelled tasks: compare two payloads for the same question by them, not payloads for different ones.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice

from conspectus.core.call import Slot
from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import ContextManifest, Decision, ItemRecord, Stage, Verdict
from conspectus.errors import InputError
from conspectus.inspection.advice import Figures, advice
from conspectus.inspection.instructions import Finding, review
from conspectus.text.words import STOP_WORDS, fold_case, kind_of, query_terms, runs, terms

FORMULAS: Mapping[str, str] = {
    "relevance": "mean relevance of the optional items in it, by tokens / relevance of the best candidate",
    "completeness": "required slots that are filled / required slots",
    "question_coverage": "terms of the question that its evidence holds / terms of the question",
    "density": "tokens of items, what repeats earlier text left out / input tokens",
    "duplication": "tokens that repeat earlier text / tokens of items; a text repeats in runs of three terms",
    "conflict_rate": "tokens of items that contradict each other / tokens of items",
    "source_coverage": "sources with an item in it / sources with a candidate; a source is the start of an id",
    "recency": "mean recency of the optional items in it, by tokens; it halves with every half-life of the spec",
    "budget_use": "input tokens / input limit",
}
"""What each measure is, in words; all lie in 0..1, and None stands for what cannot be said."""

_NO_EVIDENCE = frozenset({Kind.INSTRUCTION, Kind.REQUEST, Kind.TOOL_SCHEMA, Kind.DEMONSTRATION})
_RUN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """The measures of one payload; each lies in 0..1, None where it cannot be said.

    Attributes:
        relevance: Σ tokens · relevance / Σ tokens over the optional items that were ranked, divided by the best
            candidate's relevance.
        completeness: filled slots / slots; None when nothing was required.
        question_coverage: covered terms / terms of the question; None without archived content.
        density: Σ tokens · novelty / input tokens; novelty is the share of an item's runs of three terms that no
            earlier item has, 1 without archived content.
        duplication: 1 - Σ tokens · novelty / Σ tokens; None without archived content.
        conflict_rate: tokens of items in conflict / tokens of items.
        source_coverage: sources with an item / sources with a candidate.
        recency: Σ tokens · recency / Σ tokens over the optional items with a time.
        budget_use: input tokens / input limit.
        conflicts: groups of ids that contradict each other.
        missing_slots: names of required evidence that is not there.
        uncovered_words: words of the question that its evidence does not hold; of Chinese, Japanese and Korean whole
            runs, where less than half of their pairs of characters are there.
        findings: what is wrong with the instructions; empty without archived content.
        suggestions: what to change, naming the option.
    """

    relevance: float | None
    completeness: float | None
    question_coverage: float | None
    density: float
    duplication: float | None
    conflict_rate: float
    source_coverage: float | None
    recency: float | None
    budget_use: float
    conflicts: tuple[tuple[str, ...], ...]
    missing_slots: tuple[str, ...]
    uncovered_words: tuple[str, ...]
    findings: tuple[Finding, ...]
    suggestions: tuple[str, ...]


def assess(
    manifest: ContextManifest, candidates: Sequence[ContextItem] | None = None, slots: Sequence[Slot] = ()
) -> Quality:
    """Measure one payload.

    Args:
        manifest: of the payload.
        candidates: the archived candidates, or None when they are gone.
        slots: evidence to measure completeness against, instead of what was required when it was assembled.

    Raises:
        InputError: `slots` are given and the content to fill them with is gone.
    """
    inside = _inside(manifest, candidates)
    ends = {one.subject: one for one in manifest.decisions if one.verdict in (Verdict.KEPT, Verdict.TRANSFORMED)}
    filled = _filled(manifest, inside, slots)
    novelty = None if inside is None else _novelty(manifest.items, inside)
    coverage, uncovered = _coverage(inside)
    total = sum(record.tokens for record in manifest.items)
    fresh = total if novelty is None else sum(r.tokens * novelty[r.id] for r in manifest.items)
    findings = () if inside is None else review([i for i in inside.values() if i.kind is Kind.INSTRUCTION])
    figures = Figures(
        relevance=_relevance(manifest, ends),
        duplication=None if novelty is None else _share(total - fresh, total),
        recency=_mean("recency", manifest.items, ends),
        budget_use=_share(manifest.input_tokens, manifest.input_limit),
        missing_slots=tuple(name for name, by in filled if not by),
        uncovered_words=uncovered,
        findings=findings,
    )
    in_conflict = sum(record.tokens for record in manifest.items if record.conflict)
    return Quality(
        relevance=figures.relevance,
        completeness=_share(sum(1 for _, by in filled if by), len(filled)) if filled else None,
        question_coverage=coverage,
        density=_share(fresh, manifest.input_tokens),
        duplication=figures.duplication,
        conflict_rate=_share(in_conflict, total),
        source_coverage=_source_coverage(manifest),
        recency=figures.recency,
        budget_use=figures.budget_use,
        conflicts=manifest.conflicts,
        missing_slots=figures.missing_slots,
        uncovered_words=uncovered,
        findings=findings,
        suggestions=advice(manifest, figures),
    )


def _inside(manifest: ContextManifest, candidates: Sequence[ContextItem] | None) -> dict[str, ContextItem] | None:
    """The candidates that are in the payload, by id, in its order."""
    if candidates is None:
        return None
    known = {item.item_id: item for item in candidates}
    return {record.id: known[record.id] for record in manifest.items if record.id in known}


def _share(part: float, whole: float) -> float:
    return min(max(part / whole, 0.0), 1.0) if whole else 0.0


def _mean(part: str, records: Iterable[ItemRecord], ends: Mapping[str, Decision]) -> float | None:
    """The mean of one score part over the items that have it, weighted by their tokens; nothing mandatory counts."""
    optional = (record for record in records if not record.mandatory)
    weighted = [
        (score, record.tokens) for record in optional if (score := _score(part, ends.get(record.id))) is not None
    ]
    tokens = sum(weight for _, weight in weighted)
    return sum(score * weight for score, weight in weighted) / tokens if tokens else None


def _score(part: str, decision: Decision | None) -> float | None:
    return next((score for name, score in decision.scores if name == part), None) if decision else None


def _relevance(manifest: ContextManifest, ends: Mapping[str, Decision]) -> float | None:
    """Relevance against the best candidate that was not mandatory: the question matches itself better than any."""
    mean = _mean("relevance", manifest.items, ends)
    mandatory = {record.id for record in manifest.items if record.mandatory}
    optional = (decision for decision in manifest.decisions if decision.subject not in mandatory)
    best = max((score for decision in optional if (score := _score("relevance", decision)) is not None), default=0.0)
    return _share(mean, best) if mean and best else mean


def _novelty(records: Sequence[ItemRecord], inside: Mapping[str, ContextItem]) -> dict[str, float]:
    """For each item the share of its runs of three terms that no item before it has; 1 for one without any."""
    seen: set[tuple[str, ...]] = set()
    novelty: dict[str, float] = {}
    for record in records:
        words = terms(inside[record.id].content) if record.id in inside else []
        runs = set(zip(*(islice(words, start, None) for start in range(_RUN)), strict=False))
        novelty[record.id] = len(runs - seen) / len(runs) if runs else 1.0
        seen |= runs
    return novelty


def _coverage(inside: Mapping[str, ContextItem] | None) -> tuple[float | None, tuple[str, ...]]:
    """The share of the question's terms that the evidence holds, and the words of it that are not there."""
    items = () if inside is None else tuple(inside.values())
    questions = [item.content for item in items if item.kind is Kind.REQUEST]
    held = frozenset(term for item in items if item.kind not in _NO_EVIDENCE for term in terms(item.content))
    asked = frozenset(term for question in questions for term in query_terms(question))
    words = dict.fromkeys(word for question in questions for word in runs(question))
    lost = tuple(word for word in words if _is_lost(word, asked, held))
    return (_share(len(asked & held), len(asked)) if asked else None), lost


def _is_lost(word: str, asked: frozenset[str], held: frozenset[str]) -> bool:
    """Whether evidence lacks a word: one of its parts, or more than half of the pairs of a run without spaces.

    Pairs that hold a function word as one of their characters say little: they lie across the border of two words.
    """
    parts = [part for part in terms(word) if part in asked]
    if kind_of(word[0]) == "cjk":
        telling = [pair for pair in parts if STOP_WORDS.isdisjoint(pair)] or parts
        return 2 * sum(pair in held for pair in telling) < len(telling)
    whole = fold_case(word.strip("_"))
    return any(part not in held for part in parts if part != whole or len(parts) == 1)


def _filled(
    manifest: ContextManifest, inside: Mapping[str, ContextItem] | None, slots: Sequence[Slot]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each required piece of evidence with the ids that fill it."""
    if not slots:
        return tuple((slot.name, slot.filled_by) for slot in manifest.slots)
    if inside is None:
        raise InputError("--slots", "the archived content is gone, so that no item can be checked against them")
    evidence = [item for item in inside.values() if item.kind not in _NO_EVIDENCE]
    held = {item.item_id: frozenset(terms(item.content)) for item in evidence}
    return tuple(
        (slot.name, tuple(item.item_id for item in evidence if _fills(slot, item, held[item.item_id])))
        for slot in slots
    )


def _fills(slot: Slot, item: ContextItem, held: frozenset[str]) -> bool:
    """Whether an item fills a slot, by the rule of `Slot`."""
    wanted = slot.match or (() if slot.source else (slot.name,))
    named = not slot.source or any(fnmatchcase(name, slot.source) for name in (item.item_id, item.source_uri))
    return named and all(held.issuperset(query_terms(text)) for text in wanted)


def _source_coverage(manifest: ContextManifest) -> float | None:
    """Sources with an item in the payload among those with a candidate."""
    offered = {
        decision.subject.partition("/")[0]
        for decision in manifest.decisions
        if decision.stage is not Stage.GATHER and not decision.subject.startswith("source/")
    }
    present = {record.id.partition("/")[0] for record in manifest.items}
    return len(present) / len(offered | present) if offered or present else None
