"""`conspectus why`: every decision about one item, file or source."""

from pathlib import Path

import click

from conspectus.core.manifest import Decision
from conspectus.inspection.why import Account, why
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import inspecting, manifest_argument
from conspectus.interfaces.cli.page import BLANK, Block, Cell, Column, Page, Table, Tone, line, span
from conspectus.interfaces.cli.show import report
from conspectus.workspace import Workspace

HELP = """Tell every decision about SUBJECT: an item id, a file, a folder, or source/NAME.

MANIFEST is a path or a request id, which may be shortened.

\b
Examples:
  conspectus why 3fa9c1 src/shop/http.py
  conspectus why manifest.json file/src/shop/http.py#L10-42
  conspectus why 3fa9c1 source/files --json
"""
TONES = {
    "kept": Tone.GOOD,
    "transformed": Tone.CHANGED,
    "omitted": Tone.LOST,
    "failed": Tone.WARNING,
    "noted": Tone.FAINT,
}


@click.command("why", help=HELP)
@manifest_argument
@click.argument("subject")
@inspecting
def command(*, manifest: str, subject: str, home: Path | None, as_json: bool) -> None:
    """Read, ask, show."""
    account = why(Workspace.open(home).manifest(manifest), subject)
    if as_json:
        dump(account)
    else:
        report(page(account))


def page(account: Account) -> Page:
    """The page about one subject."""
    blocks: list[Block] = [line(span(account.subject, Tone.TITLE), span(f"  {_count(account)}", Tone.FAINT))]
    if account.refused:
        blocks.append(line(span(f"{account.refused} candidates are not readable by this caller", Tone.WARNING)))
    blocks.extend((BLANK, _table(account.decisions)))
    if account.records:
        rows = tuple(
            (
                span(f"{record.position + 1}", Tone.NUMBER),
                span(record.section),
                span(record.id, Tone.NAME),
                span(f"{record.tokens:,}", Tone.NUMBER),
                span(" → ".join(link.step for link in record.transformations) or "as it was", Tone.FAINT),
            )
            for record in account.records
        )
        columns = (Column(title="place", right=True), Column(title="section"), Column(title="item", fold=True),
                   Column(title="tokens", right=True), Column(title="changed"))  # fmt: skip
        blocks.extend((BLANK, line(span("In the payload", Tone.TITLE)), Table(columns=columns, rows=rows)))
    if account.mentions:
        blocks.extend((BLANK, line(span("Because of it", Tone.TITLE)), _table(account.mentions)))
    return blocks


def _count(account: Account) -> str:
    return f"{len(account.matched)} matching, {len(account.records)} in the payload"


def _table(decisions: tuple[Decision, ...]) -> Table:
    columns = (Column(title="verdict"), Column(title="reason"), Column(title="subject", fold=True),
               Column(title="tokens", right=True), Column(title="value", right=True),
               Column(title="detail", fold=True))  # fmt: skip
    return Table(columns=columns, rows=tuple(_row(decision) for decision in decisions))


def _row(decision: Decision) -> tuple[Cell, ...]:
    scores = dict(decision.scores)
    related = (
        f"lost to {', '.join(decision.related)}"
        if decision.reason == "budget_exceeded"
        else ", ".join(decision.related)
    )
    return (
        span(decision.verdict.value, TONES[decision.verdict.value]),
        span(decision.reason.value),
        span(decision.subject, Tone.NAME),
        span(f"{decision.tokens:,}" if decision.tokens else "", Tone.NUMBER),
        span(f"{scores['value']:.3f}" if "value" in scores else "", Tone.NUMBER),
        span("; ".join(part for part in (decision.detail, related) if part), Tone.FAINT),
    )
