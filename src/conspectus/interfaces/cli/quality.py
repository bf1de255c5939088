"""`conspectus quality`: how good a context is, measure by measure, and what to change."""

from pathlib import Path

import click

from conspectus.core.call import Caller
from conspectus.inspection.quality import Quality, assess
from conspectus.interfaces.cli.archived import archived_candidates
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import FILE, asking, inspecting, manifest_argument
from conspectus.interfaces.cli.page import BLANK, Bar, Block, Cell, Column, Page, Table, Tone, span, title
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
# Of these, less is better; of the use of the budget, neither.
_HUES = {measure: {"duplication": 7, "conflict_rate": 7, "budget_use": 0}.get(measure, 1) for measure in _MEASURES}


@click.command("quality", help=HELP)
@manifest_argument
@click.option(
    "--slots", type=FILE, metavar="FILE", help="Evidence the answer needs, as a JSON list, in place of the call's own."
)
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
    caller = Caller(principal=principal, tenant=tenant, groups=frozenset(groups))
    wanted = read_slots(slots) if slots else ()
    with Workspace.open(home) as workspace:
        found = workspace.manifest(manifest)
        candidates = archived_candidates(workspace, found, caller)
    quality = assess(found, candidates, wanted)
    if as_json:
        dump(quality)
    else:
        report(page(quality, found.request_id))


def page(quality: Quality, name: str) -> Page:
    """The page about one context."""
    rows = tuple(_row(measure, getattr(quality, measure)) for measure in _MEASURES)
    columns = (Column(), Column(right=True), Column(bar=True))
    blocks: list[Block] = [title(f"Quality of {name}"), BLANK, Table(columns=columns, rows=rows)]
    for heading, lines in (
        ("Missing evidence", quality.missing_slots),
        ("Conflicts", [" ≠ ".join(group) for group in quality.conflicts]),
        ("Suggestions", quality.suggestions),
    ):
        if lines:
            items = tuple((span("·", Tone.FAINT), span(text)) for text in lines)
            blocks.extend((BLANK, title(heading), Table(columns=(Column(), Column(fold=True)), rows=items)))
    return blocks


def _row(measure: str, value: float | None) -> tuple[Cell, ...]:
    shown = "–" if value is None else f"{value:.2f}"
    return (span(measure.replace("_", " ")), span(shown, Tone.NUMBER), Bar(share=value or 0.0, hue=_HUES[measure]))
