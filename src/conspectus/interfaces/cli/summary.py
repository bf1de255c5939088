"""What `assemble` tells beside the payload: size, sections, ends of the candidates, what to look at next."""

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from conspectus.core.manifest import ContextManifest, Decision, Reason, Verdict
from conspectus.inspection.bill import Bill, bill
from conspectus.interfaces.cli.page import BLANK, Bar, Block, Cell, Column, Meter, Page, Span, Table, Tone, line, span

FREE = 9
"""The hue of what is no item: headings and rules."""
SHORT = 8
"""Digits of a request id that a person is asked to type."""
_TOP = 5
_VERDICTS = (
    (Verdict.KEPT, Tone.GOOD),
    (Verdict.TRANSFORMED, Tone.CHANGED),
    (Verdict.OMITTED, Tone.LOST),
)


def summary(manifest: ContextManifest, home: Path | None = None, reports: Iterable[str] = ()) -> Page:
    """The page about one assembly, kept in `home`; `reports` is what went wrong with the cache on the way."""
    sums = bill(manifest)
    return [
        *sizes(manifest),
        BLANK,
        *_sections(sums),
        BLANK,
        *_ends(sums),
        *_findings(manifest, reports),
        *_next(manifest, home),
    ]


def sizes(manifest: ContextManifest) -> Iterator[Block]:
    """Who, when, and how many tokens of how many."""
    yield line(
        span(manifest.request_id, Tone.TITLE),
        span(f"  {manifest.model} as {manifest.format}, for {manifest.principal}, {_second(manifest)}", Tone.FAINT),
    )
    yield line(
        span(f"{manifest.input_tokens:,}", Tone.NUMBER),
        f" of {manifest.input_limit:,} tokens ({percent(manifest.input_tokens, manifest.input_limit)}), ",
        _exactness(manifest),
    )


def _second(manifest: ContextManifest) -> str:
    """The moment of the call without parts of a second."""
    return f"{manifest.assembled_at[:19]}Z"


def percent(part: int, whole: int) -> str:
    """`part` of `whole` with one digit after the point."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _exactness(manifest: ContextManifest) -> Span:
    if manifest.exactness == "exact":
        return span("exact", Tone.GOOD)
    return span(f"estimated ± {100 * manifest.margin:.1f} %", Tone.CHANGED)


def _sections(sums: Bill) -> Iterator[Block]:
    parts = (*((entry.tokens, hue) for hue, entry in enumerate(sums.sections)), (sums.scaffold, FREE))
    yield Meter(parts=parts, total=sums.limit)
    yield BLANK
    most = max(tokens for tokens, _ in parts) or 1
    rows = [
        _row(entry.name, hue, entry.tokens, percent(entry.tokens, sums.total), f"{entry.items:,}", entry.tokens / most)
        for hue, entry in enumerate(sums.sections)
    ]
    around = percent(sums.scaffold, sums.total)
    rows.append(_row("headings, rules", FREE, sums.scaffold, around, "", sums.scaffold / most))
    yield Table(
        columns=(
            Column(title="section"),
            Column(title="tokens", right=True),
            Column(title="of input", right=True),
            Column(title="items", right=True),
            Column(bar=True),
        ),
        rows=tuple(rows),
    )


def _row(name: str, hue: int, tokens: int, part: str, count: str, share: float) -> tuple[Cell, ...]:
    return span(name, hue=hue), span(f"{tokens:,}"), span(part, Tone.FAINT), span(count), Bar(share=share, hue=hue)


def _ends(sums: Bill) -> Iterator[Block]:
    rows: list[tuple[Cell, ...]] = []
    for verdict, tone in _VERDICTS:
        reasons = [(reason, count) for end, reason, count in sums.ends if end is verdict]
        told = [f"{count:,} {reason}" for reason, count in reasons[:_TOP]]
        listed = tuple(span(text, Tone.FAINT) for text in (*(f"{each}, " for each in told[:-1]), *told[-1:]))
        rows.append((span(verdict, tone), span(f"{sum(n for _, n in reasons):,}"), listed))
    total = sum(count for _, _, count in sums.ends)
    yield line(span(f"{total:,}", Tone.NUMBER), " candidate" if total == 1 else " candidates")
    yield Table(columns=(Column(), Column(right=True), Column(fold=True)), rows=tuple(rows), indent=2)


def _findings(manifest: ContextManifest, reports: Iterable[str]) -> Iterator[Block]:
    """What a person should look at: what was refused, failed, contradicts, is missing, or alarms."""
    failed = manifest.ledger.ending([Verdict.FAILED])
    found = [
        *(("refused", (span(f"{count:,} of {source} may not be read"),)) for source, count in manifest.refused),
        *(("failed", (span(one.subject, Tone.NAME), span(f" {one.detail}"))) for one in failed),
        *(("conflict", (span(" ≠ ".join(group), Tone.NAME),)) for group in manifest.conflicts),
        *(("missing", (span(slot.name),)) for slot in manifest.slots if not slot.filled_by),
        *(("limit", (span(text),)) for text in _lowered(manifest)),
        *(("repaired", (span(text),)) for text in _repaired(manifest)),
        *(("alarm", (span(alarm),)) for alarm in manifest.alarms),
        *(("cache", (span(text),)) for text in reports),
    ]
    if found:
        yield BLANK
        rows = tuple((span(label, Tone.WARNING), spans) for label, spans in found)
        yield Table(columns=(Column(), Column(fold=True)), rows=rows)


def _lowered(manifest: ContextManifest) -> Iterator[str]:
    budget = manifest.spec.budget
    if budget.input_limit > budget.allowed:
        yield f"{budget.input_limit:,} were asked for; window and reserves leave {budget.allowed:,}"


def _repaired(manifest: ContextManifest) -> Iterator[str]:
    noted = manifest.ledger.ending([Verdict.NOTED])
    repairs = [decision for decision in noted if decision.reason is Reason.REPAIRED]
    if repairs:
        yield f"{len(repairs)} in the conversation, the first: {repairs[0].detail}"


def _next(manifest: ContextManifest, home: Path | None) -> Iterator[Block]:
    """The commands that go on from here: about the most valuable item that stayed out, or one that is in."""
    short = manifest.request_id[:SHORT]
    where = "" if home is None else f" --home {shlex.quote(str(home))}"
    yield BLANK
    yield line(span(f"conspectus why {short} {shlex.quote(_telling(manifest))}{where}", Tone.COMMAND))
    yield line(span(f"conspectus quality {short}{where}", Tone.COMMAND))


def _telling(manifest: ContextManifest) -> str:
    """The most valuable item that stayed out, or else the most valuable one that did not have to be in."""
    omitted = manifest.ledger.ending([Verdict.OMITTED])
    kept = manifest.ledger.ending([Verdict.KEPT, Verdict.TRANSFORMED])
    chosen = (decision for decision in kept if decision.reason is not Reason.MANDATORY)
    found = max(omitted, key=_value, default=None) or max(chosen, key=_value, default=None)
    return found.subject if found else next((item.id for item in manifest.items), "")


def _value(decision: Decision) -> float:
    return dict(decision.scores).get("value", -1.0)
