"""What to change for a better payload, each advice with the option to change it by; it changes nothing itself."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conspectus.core.manifest import ContextManifest, Decision, Reason, Verdict
from conspectus.inspection.instructions import Fault, Finding

_NAMED = 3
_FULL, _LOOSE = 0.9, 0.1
_MUCH_REPEATED, _LITTLE_RELEVANT, _OLD = 0.2, 0.15, 0.05
_UNREAD = (Reason.TOO_LARGE, Reason.UNREADABLE, Reason.BINARY, Reason.MALFORMED)

_FAULTS = {
    Fault.ABSENT: "no instruction was given: say with --instructions what role, limits and answer are wanted",
    Fault.EMPTY: "{subjects}: nothing but headings or space; fill the file or drop it from --instructions",
    Fault.CONTRADICTORY: "{subjects}: “{left}” contradicts “{right}”; keep one of them in the files of --instructions",
    Fault.WITHOUT_RUBRIC: (
        "{subjects}: nothing says what a good answer looks like; name form, criteria and limits in a file of "
        "--instructions"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The measures that advice rests on; see `quality.Quality`."""

    relevance: float | None
    duplication: float | None
    recency: float | None
    budget_use: float
    missing_slots: tuple[str, ...]
    uncovered_words: tuple[str, ...]
    findings: tuple[Finding, ...]


def advice(manifest: ContextManifest, figures: Figures) -> tuple[str, ...]:
    """What to change, the most urgent first."""
    omitted = [decision for decision in manifest.decisions if decision.verdict is Verdict.OMITTED]
    return (
        *_sources(manifest, omitted),
        *_evidence(manifest, figures),
        *(_fault(finding) for finding in figures.findings),
        *_budget(manifest, figures, omitted),
        *_content(figures),
    )


def _sources(manifest: ContextManifest, omitted: Sequence[Decision]) -> Iterator[str]:
    for decision in manifest.decisions:
        if decision.verdict is Verdict.FAILED:
            yield f"{decision.subject} failed ({decision.detail}): repair it, or leave it out knowingly"
    for reason in _UNREAD:
        subjects = [decision.subject for decision in omitted if decision.reason is reason]
        if subjects:
            yield f"{len(subjects):,} not read as {reason}: {_listed(subjects)}; give their text with --items"


def _evidence(manifest: ContextManifest, figures: Figures) -> Iterator[str]:
    if figures.missing_slots:
        yield f"required evidence is missing: {_listed(figures.missing_slots)}; add its source with --in or --items"
    for group in manifest.conflicts:
        yield f"{_listed(group)} contradict each other: let one supersede the others (`supersedes` in --items)"


def _budget(manifest: ContextManifest, figures: Figures, omitted: Sequence[Decision]) -> Iterator[str]:
    reasons = Counter(decision.reason for decision in omitted)
    if reasons[Reason.BUDGET_EXCEEDED] and figures.budget_use >= _FULL:
        best = max(
            (decision for decision in omitted if decision.reason is Reason.BUDGET_EXCEEDED),
            key=lambda decision: dict(decision.scores).get("value", 0.0),
        )
        yield (
            f"{reasons[Reason.BUDGET_EXCEEDED]:,} candidates did not fit, {best.subject} the best of them: raise "
            f"--input-limit above {manifest.input_limit:,}"
        )
    if reasons[Reason.SHARE_EXCEEDED]:
        bounded = [str(share.kind) for share in manifest.spec.budget.shares if share.maximum is not None]
        yield f"{reasons[Reason.SHARE_EXCEEDED]:,} candidates exceed their share: raise --share of {_listed(bounded)}"
    if reasons[Reason.BELOW_RELEVANCE]:
        yield f"{reasons[Reason.BELOW_RELEVANCE]:,} candidates lie below the floor of the ranking policy: lower it"
    if reasons[Reason.DEPENDENCY_ABSENT]:
        yield f"{reasons[Reason.DEPENDENCY_ABSENT]:,} candidates lack what they depend on: offer it with --items"
    if figures.budget_use <= _LOOSE and not reasons[Reason.BUDGET_EXCEEDED]:
        yield "nearly all of the limit is unused and nothing waits: add sources with --in, or lower --input-limit"


def _content(figures: Figures) -> Iterator[str]:
    if figures.uncovered_words:
        yield f"nothing holds these words of the question: {_listed(figures.uncovered_words)}; add sources with --in"
    if figures.duplication is not None and figures.duplication >= _MUCH_REPEATED:
        yield f"{figures.duplication:.0%} of it repeats itself: narrow --in, or let newer items supersede older ones"
    if figures.relevance is not None and figures.relevance <= _LITTLE_RELEVANT:
        yield "little of it matches the question: narrow --in, lower --input-limit, or ask in the words of the sources"
    if figures.recency is not None and figures.recency <= _OLD:
        yield "most of it is old: offer newer sources, or say in --items when it was last true (`observed_at`)"


def _fault(finding: Finding) -> str:
    left, right = finding.detail if len(finding.detail) == 2 else ("", "")
    return _FAULTS[finding.fault].format(subjects=_listed(finding.subjects), left=left, right=right)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
