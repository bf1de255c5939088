"""What `assemble` tells beside the payload: size, sections, ends of the candidates, what to look at next."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator

from conspectus.core.manifest import ContextManifest, ItemRecord, Verdict
from conspectus.interfaces.cli.page import BLANK, Bar, Block, Cell, Column, Meter, Page, Span, Table, Tone, line, span

FREE = 9
"""The hue of what is no item: headings and rules."""
_TOP = 5
_VERDICTS = (
    (Verdict.KEPT, Tone.GOOD),
    (Verdict.TRANSFORMED, Tone.CHANGED),
    (Verdict.OMITTED, Tone.LOST),
)


def summary(manifest: ContextManifest) -> Page:
    """The page about one assembly."""
    return [
        *sizes(manifest),
        BLANK,
        *_sections(manifest),
        BLANK,
        *_ends(manifest),
        *_findings(manifest),
        *_next(manifest),
    ]


def sizes(manifest: ContextManifest) -> Iterator[Block]:
    """Who, when, and how many tokens of how many."""
    yield line(
        span(manifest.request_id, Tone.TITLE),
        span(f"  {manifest.model} as {manifest.format}, for {manifest.principal}, {manifest.assembled_at}", Tone.FAINT),
    )
    yield line(
        span(f"{manifest.input_tokens:,}", Tone.NUMBER),
        f" of {manifest.input_limit:,} tokens ({percent(manifest.input_tokens, manifest.input_limit)}), ",
        _exactness(manifest),
    )


def percent(part: int, whole: int) -> str:
    """`part` of `whole` with one digit after the point."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _exactness(manifest: ContextManifest) -> Span:
    if manifest.exactness == "exact":
        return span("exact", Tone.GOOD)
    return span(f"estimated ± {100 * manifest.margin:.1f} %", Tone.CHANGED)


def _sections(manifest: ContextManifest) -> Iterator[Block]:
    held = sections(manifest.items)
    rest = manifest.scaffold_tokens + manifest.join_tokens
    yield Meter(
        parts=(*((tokens, hue) for hue, (_, tokens, _) in enumerate(held)), (rest, FREE)), total=manifest.input_limit
    )
    yield BLANK
    most = max((tokens for _, tokens, _ in held), default=0) or 1
    rows = [
        _row(name, hue, tokens, percent(tokens, manifest.input_tokens), f"{count:,}", tokens / most)
        for hue, (name, tokens, count) in enumerate(held)
    ]
    rows.append(_row("headings, rules", FREE, rest, percent(rest, manifest.input_tokens), "", rest / most))
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


def sections(items: Iterable[ItemRecord]) -> list[tuple[str, int, int]]:
    """(heading, tokens, items) in the order of the payload."""
    tokens: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for item in items:
        tokens[item.section] += item.tokens
        counts[item.section] += 1
    return [(name, tokens[name], counts[name]) for name in counts]


def _ends(manifest: ContextManifest) -> Iterator[Block]:
    reasons: dict[Verdict, Counter[str]] = {verdict: Counter() for verdict, _ in _VERDICTS}
    for decision in manifest.decisions:
        if decision.verdict in reasons:
            reasons[decision.verdict][decision.reason.value] += 1
    total = sum(counts.total() for counts in reasons.values())
    rows = [
        (
            span(verdict.value, tone),
            span(f"{reasons[verdict].total():,}"),
            span(", ".join(f"{count:,} {reason}" for reason, count in reasons[verdict].most_common(_TOP)), Tone.FAINT),
        )
        for verdict, tone in _VERDICTS
    ]
    yield line(span(f"{total:,}", Tone.NUMBER), " candidates")
    yield Table(columns=(Column(), Column(right=True), Column(fold=True)), rows=tuple(rows), indent=2)


def _findings(manifest: ContextManifest) -> Iterator[Block]:
    """What a person should look at: what was refused, failed, contradicts, is missing, or alarms."""
    failed = (decision for decision in manifest.decisions if decision.verdict is Verdict.FAILED)
    found = [
        *(("refused", (span(f"{count:,} of {source} may not be read"),)) for source, count in manifest.refused),
        *(("failed", (span(one.subject, Tone.NAME), span(f" {one.detail}"))) for one in failed),
        *(("conflict", (span(" ≠ ".join(group), Tone.NAME),)) for group in manifest.conflicts),
        *(("missing", (span(slot.name),)) for slot in manifest.slots if not slot.filled_by),
        *(("alarm", (span(alarm),)) for alarm in manifest.alarms),
    ]
    if found:
        yield BLANK
        rows = tuple((span(label, Tone.WARNING), spans) for label, spans in found)
        yield Table(columns=(Column(), Column(fold=True)), rows=rows)


def _next(manifest: ContextManifest) -> Iterator[Block]:
    """The commands that go on from here, about a real item of this manifest."""
    short = manifest.request_id[:8]
    omitted = (decision for decision in manifest.decisions if decision.verdict is Verdict.OMITTED)
    lost = max(omitted, key=lambda decision: dict(decision.scores).get("value", -1.0), default=None)
    subject = lost.subject if lost else next((item.id for item in manifest.items), "")
    yield BLANK
    yield line(span(f"conspectus why {short} {quoted(subject)}", Tone.COMMAND))
    yield line(span(f"conspectus quality {short}", Tone.COMMAND))


def quoted(text: str) -> str:
    """`text` as one word of a shell."""
    return shlex.quote(text)
