"""`conspectus quality`: how good a context is, measure by measure, and what to change."""

from pathlib import Path

import click

from conspectus.core.call import Caller
from conspectus.inspection.quality import Quality, assess
from conspectus.interfaces.cli.diagnose import knowledge
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import FILE, asking, inspecting, manifest_argument
from conspectus.interfaces.cli.page import BLANK, Bar, Block, Cell, Column, Page, Table, Tone, line, span
from conspectus.interfaces.cli.show import report
from conspectus.sources.slots import read_slots
from conspectus.workspace import Workspace

HELP = """Measure a context and suggest what to change.

Relevance, completeness against evidence slots, density, duplication, conflicts, source coverage, recency, budget use;
instructions that are empty, contradictory or without a criterion. Each measure lies in 0..1; a dash cannot be judged.

\b
Examples:
  conspectus quality 3fa9c1
  conspectus quality 3fa9c1 --slots needed.json --json
"""
_MEASURES = (
    "relevance", "completeness", "question_coverage", "density", "duplication", "conflict_rate", "source_coverage",
    "recency", "budget_use",
)  # fmt: skip


@click.command("quality", help=HELP)
@manifest_argument
@click.option("--slots", type=FILE, metavar="FILE", help="Evidence the answer needs.")
@asking
@inspecting
def command(
    *,
    manifest: str,
    slots: Path | None,
    principal: str,
    tenant: str,
    groups: tuple[str, ...],
    home: Path | None,
    as_json: bool,
) -> None:
    """Read, measure, show."""
    workspace = Workspace.open(home)
    caller = Caller(principal=principal, tenant=tenant, groups=frozenset(groups))
    found = workspace.manifest(manifest)
    known = knowledge(workspace, found, caller, None, operator=False)
    quality = assess(found, known.candidates, read_slots(slots) if slots else ())
    if as_json:
        dump(quality)
    else:
        report(page(quality, found.request_id))


def page(quality: Quality, name: str) -> Page:
    """The page about one context."""
    rows = tuple(_row(measure, getattr(quality, measure)) for measure in _MEASURES)
    columns = (Column(title="measure"), Column(title="", right=True), Column(bar=True))
    blocks: list[Block] = [line(span(f"Quality of {name}", Tone.TITLE)), BLANK, Table(columns=columns, rows=rows)]
    for heading, lines in (
        ("Missing evidence", quality.missing_slots),
        ("Conflicts", [" ↔ ".join(group) for group in quality.conflicts]),
        ("Findings", [str(finding) for finding in quality.findings]),
        ("Suggestions", quality.suggestions),
    ):
        if lines:
            blocks.extend((BLANK, line(span(heading, Tone.TITLE)), *(line(text, indent=2) for text in lines)))
    return blocks


def _row(measure: str, value: float | None) -> tuple[Cell, ...]:
    shown = "–" if value is None else f"{value:.2f}"
    return (span(measure.replace("_", " ")), span(shown, Tone.NUMBER), Bar(share=value or 0.0))
