"""How a decision, its scores and an item's place are told in every command; it looks nothing up."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from conspectus.core.manifest import Decision, ItemRecord, Reason, Verdict
from conspectus.interfaces.cli.page import Bar, Block, Cell, Column, Table, Tone, span

TONES = {
    Verdict.KEPT: Tone.GOOD,
    Verdict.TRANSFORMED: Tone.CHANGED,
    Verdict.OMITTED: Tone.LOST,
    Verdict.NOTED: Tone.FAINT,
    Verdict.FAILED: Tone.WARNING,
}
_LOST = frozenset({Reason.BUDGET_EXCEEDED, Reason.SHARE_EXCEEDED})
_RELATED = {
    Reason.DUPLICATE: "same as ",
    Reason.NEAR_DUPLICATE: "nearly the same as ",
    Reason.SUPERSEDED: "replaced by ",
    Reason.DEPENDENCY_ABSENT: "needs ",
    Reason.CONFLICT: "against ",
}
_PARTS = ("relevance", "recency", "prior", "value")
_HUES: dict[str, int] = dict(zip(_PARTS, (0, 4, 8, 1), strict=True))
_VERSION = 16


def decision_table(
    decisions: Iterable[Decision],
    *,
    prefix: str | None = None,
    places: Mapping[str, str] | None = None,
    indent: int = 0,
) -> Table:
    """One row a decision, with its subject beyond `prefix` where that is given, and its subject's place."""
    columns = (
        *((Column(title="subject", fold=True),) if prefix is not None else ()),
        Column(title="stage"),
        Column(title="verdict"),
        Column(title="reason"),
        Column(title="tokens", right=True),
        Column(title="value", right=True),
        Column(title="place"),
        Column(title="detail", fold=True),
    )
    rows = tuple(_row(each, prefix, (places or {}).get(each.subject, "")) for each in decisions)
    return Table(columns=columns, rows=rows, indent=indent)


def _row(decision: Decision, prefix: str | None, where: str) -> tuple[Cell, ...]:
    value = dict(decision.scores).get("value")
    ends = decision.verdict in (Verdict.KEPT, Verdict.TRANSFORMED)
    return (
        *(() if prefix is None else (span(decision.subject.removeprefix(prefix) or decision.subject, Tone.NAME),)),
        span(decision.stage, Tone.FAINT),
        span(decision.verdict, TONES[decision.verdict]),
        span(decision.reason),
        span(f"{decision.tokens:,}" if decision.tokens else ""),
        span("" if value is None else f"{value:.3f}"),
        span(where if ends else ""),
        span(_remark(decision), Tone.FAINT),
    )


def _remark(decision: Decision) -> str:
    """Detail and related ids of a decision in words; what it lost to is told apart."""
    named = decision.related and decision.reason not in _LOST
    related = f"{_RELATED.get(decision.reason, '')}{', '.join(decision.related)}" if named else ""
    return "; ".join(filter(None, (decision.detail, related)))


def lost_to(decisions: Iterable[Decision]) -> list[tuple[str, str]]:
    """(what, text) about what the omitted ones would have had to beat, each named once."""
    names = dict.fromkeys(name for each in decisions if each.reason in _LOST for name in each.related)
    return [("lost to" if number == 0 else "", name) for number, name in enumerate(names)]


def scores(decisions: Sequence[Decision], *, indent: int = 0) -> Iterator[Block]:
    """The parts of the last score that any of the decisions has, as bars."""
    scored = [decision.scores for decision in decisions if decision.scores]
    found = dict(scored[-1]) if scored else {}
    rows = tuple(
        (
            span(name, Tone.FAINT),
            span(f"{found[name]:.3f}"),
            Bar(share=min(max(found[name], 0.0), 1.0), hue=_HUES.get(name, 9)),
        )
        for name in (*(part for part in _PARTS if part in found), *(name for name in found if name not in _PARTS))
    )
    if rows:
        yield Table(columns=(Column(), Column(right=True), Column(bar=True)), rows=rows, indent=indent)


def place(record: ItemRecord) -> list[tuple[str, str]]:
    """(what, text) about an item of the payload: where it stands, where it came from, what was done to it."""
    version = f" at version {record.source_version[:_VERSION]}" if record.source_version else ""
    moment = f", observed {record.observed_at}" if record.observed_at else ""
    chain = " → ".join(f"{link.step} ({link.detail})" if link.detail else link.step for link in record.transformations)
    told = [
        ("place", f"{record.position + 1} in the payload, under {record.section}, {record.tokens:,} tokens"),
        ("source", f"{record.source_uri or '–'}{version}{moment}"),
        ("changed", chain),
        ("needs", ", ".join(record.dependencies)),
        ("made from", ", ".join(record.derived_from)),
        ("conflict", record.conflict),
    ]
    return [(what, text) for what, text in told if text]


def facts(pairs: Iterable[tuple[str, str]], *, indent: int = 0) -> Table:
    """(what, text) as two columns."""
    rows = tuple((span(what, Tone.FAINT), span(text)) for what, text in pairs)
    return Table(columns=(Column(), Column(fold=True)), rows=rows, indent=indent)
