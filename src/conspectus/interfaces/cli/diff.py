"""`conspectus diff`: what changed from one context to another, and why."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from conspectus.core.manifest import ContextManifest
from conspectus.inspection.difference import Change, Difference, Step, difference
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import inspecting
from conspectus.interfaces.cli.page import BLANK, Bar, Block, Cell, Column, Page, Span, Table, Tone, line, span
from conspectus.interfaces.cli.show import report
from conspectus.workspace import Workspace

HELP = """Show what entered, left, moved, grew or shrank from one context to another, and why.

\b
Examples:
  conspectus diff 3fa9c1 b2e07d
  conspectus diff before.json after.json --json
"""
_SIGNS = {
    Change.ENTERED: ("+", Tone.GOOD, 1),
    Change.LEFT: ("-", Tone.LOST, 7),
    Change.MOVED: (">", Tone.FAINT, 9),
    Change.GREW: ("▲", Tone.CHANGED, 2),
    Change.SHRANK: ("▼", Tone.CHANGED, 2),
    Change.REWRITTEN: ("~", Tone.CHANGED, 2),
}


@click.command("diff", help=HELP)
@click.argument("before", metavar="MANIFEST")
@click.argument("after", metavar="MANIFEST")
@inspecting
def command(*, before: str, after: str, home: Path | None, as_json: bool) -> None:
    """Read both, compare, show."""
    with Workspace.open(home) as workspace:
        old, new = workspace.manifest(before), workspace.manifest(after)
    found = difference(old, new)
    if as_json:
        dump(found)
    else:
        report(page(found, old, new))


def page(found: Difference, before: ContextManifest, after: ContextManifest) -> Page:
    """The page about one difference."""
    blocks: list[Block] = [
        line(span(f"{before.request_id} → {after.request_id}", Tone.TITLE)),
        line(
            f"{before.input_tokens:,} → ",
            span(f"{after.input_tokens:,}", Tone.NUMBER),
            f" tokens ({found.tokens:+,}, of them headings and rules {found.headings:+,})",
        ),
        line(*_counts(found)),
    ]
    if found.is_same:
        blocks.append(line(span("The payloads are the same, byte for byte.", Tone.GOOD)))
    if found.steps:
        blocks.extend((BLANK, _steps(found)))
    if found.settings:
        rows = tuple((span(s.path, Tone.NAME), span(_value(s.before)), span(_value(s.after))) for s in found.settings)
        headings = (Column(title="setting"), Column(title="before", fold=True), Column(title="after", fold=True))
        blocks.extend((BLANK, Table(columns=headings, rows=rows)))
    return blocks


def _counts(found: Difference) -> Iterator[Span]:
    counts = Counter(step.change for step in found.steps)
    for change, (_, tone, _) in _SIGNS.items():
        if counts[change]:
            yield span(f"{counts[change]:,} {change}", tone)
            yield span(", ")
    yield span(f"{found.unchanged:,} unchanged", Tone.FAINT)


def _steps(found: Difference) -> Table:
    """Every change, bars as long as the tokens it moved."""
    largest = max(abs(step.tokens) for step in found.steps) or 1
    columns = (Column(), Column(title="item", fold=True), Column(title="tokens", right=True), Column(bar=True),
               Column(title="why", fold=True))  # fmt: skip
    return Table(columns=columns, rows=tuple(_row(step, largest) for step in found.steps))


def _row(step: Step, largest: int) -> tuple[Cell, ...]:
    sign, tone, hue = _SIGNS[step.change]
    counts = step.change is not Change.MOVED
    return (
        span(sign, tone),
        span(step.subject, Tone.NAME),
        span(f"{step.tokens:+,}" if counts and step.tokens else ""),
        Bar(share=abs(step.tokens) / largest if counts else 0.0, hue=hue),
        span(_cause(step), Tone.FAINT),
    )


def _cause(step: Step) -> str:
    """Why, in two words where it is about reasons; `--json` names what it won or lost against."""
    if step.change not in (Change.ENTERED, Change.LEFT):
        return step.cause
    was, became = (decision.reason if decision else "not offered" for decision in (step.was, step.became))
    return f"{was} → {became}"


def _value(value: object) -> str:
    return "–" if value is None or value == "" else str(value)
