"""`conspectus diff`: what changed from one context to another, and why."""

from pathlib import Path

import click

from conspectus.inspection.difference import Difference, Step, difference
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import inspecting
from conspectus.interfaces.cli.page import BLANK, Block, Cell, Column, Page, Table, Tone, line, span
from conspectus.interfaces.cli.show import report
from conspectus.workspace import Workspace

HELP = """Show what entered, left, moved and grew between two contexts, and why.

\b
Example:
  conspectus diff 3fa9c1 b2e07d
"""
_TONES = {"entered": Tone.GOOD, "left": Tone.LOST}


@click.command("diff", help=HELP)
@click.argument("before", metavar="MANIFEST")
@click.argument("after", metavar="MANIFEST")
@inspecting
def command(*, before: str, after: str, home: Path | None, as_json: bool) -> None:
    """Read both, compare, show."""
    workspace = Workspace.open(home)
    found = difference(workspace.manifest(before), workspace.manifest(after))
    if as_json:
        dump(found)
    else:
        report(page(found, before, after))


def page(found: Difference, before: str, after: str) -> Page:
    """The page about one difference."""
    blocks: list[Block] = [
        line(
            span(f"{before} → {after}", Tone.TITLE),
            span(f"  {found.tokens:+,} tokens, {found.unchanged} unchanged", Tone.FAINT),
        )
    ]
    if found.is_same:
        blocks.append(line(span("the payloads are the same", Tone.GOOD)))
    if found.steps:
        columns = (Column(title="change"), Column(title="item", fold=True), Column(title="tokens", right=True),
                   Column(title="why", fold=True))  # fmt: skip
        blocks.extend((BLANK, Table(columns=columns, rows=tuple(_row(step) for step in found.steps))))
    if found.settings:
        rows = tuple((span(s.path, Tone.NAME), span(s.before), span(s.after)) for s in found.settings)
        headings = (Column(title="setting"), Column(title="before", fold=True), Column(title="after", fold=True))
        blocks.extend((BLANK, Table(columns=headings, rows=rows)))
    return blocks


def _row(step: Step) -> tuple[Cell, ...]:
    was = step.before.tokens if step.before else 0
    now = step.after.tokens if step.after else 0
    return (
        span(step.change.value, _TONES.get(step.change.value, Tone.CHANGED)),
        span(step.subject, Tone.NAME),
        span(f"{now - was:+,}" if now != was else "", Tone.NUMBER),
        span(step.cause, Tone.FAINT),
    )
