"""`conspectus why`: every decision about one item, file or source."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from conspectus.inspection.why import Account, why
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import inspecting, manifest_argument
from conspectus.interfaces.cli.page import BLANK, Block, Page, Tone, line, span, title
from conspectus.interfaces.cli.show import report
from conspectus.interfaces.cli.told import decision_table, facts, lost_to, place, scores
from conspectus.text.reading_order import natural_key
from conspectus.workspace import Workspace

HELP = """Tell every decision about SUBJECT: an item id, a file (with a line, if you like), a folder, or source/NAME.

MANIFEST is a path or a request id, of which six characters suffice where they are unique.

\b
Examples:
  conspectus why 3fa9c1 http.py
  conspectus why 3fa9c1 http.py:20
  conspectus why manifest.json file/http.py#L10-42
  conspectus why 3fa9c1 source/files --json
"""
_CLOSELY = 3
"""Subjects that are told one by one; more of them stand in one table."""
_CUT = re.compile(r"[^/#]*$")


@click.command("why", help=HELP)
@manifest_argument
@click.argument("subject")
@inspecting
def command(*, manifest: str, subject: str, home: Path | None, as_json: bool) -> None:
    """Read, ask, show."""
    with Workspace.open(home) as workspace:
        account = why(workspace.manifest(manifest), subject)
    if as_json:
        dump(account)
    else:
        report(page(account))


def page(account: Account) -> Page:
    """The page about one subject."""
    blocks: list[Block] = []
    if len(account.matched) <= _CLOSELY:
        for subject in sorted(account.matched, key=natural_key):
            blocks.extend((*((BLANK,) if blocks else ()), *_closely(account, subject)))
    else:
        blocks.extend(_together(account))
    if account.refused:
        blocks.append(line(span(f"{account.refused:,} of its candidates may not be read by the caller", Tone.WARNING)))
    if account.mentions:
        blocks.extend((BLANK, title("Because of it"), decision_table(account.mentions, prefix="")))
    return blocks


def _closely(account: Account, subject: str) -> Iterator[Block]:
    """Place, decisions and scores of one subject."""
    decisions = tuple(decision for decision in account.decisions if decision.subject == subject)
    record = next((record for record in account.records if record.id == subject), None)
    yield title(subject)
    if record is None and decisions and not subject.startswith("source/"):
        yield line(span("not in the payload", Tone.LOST), indent=2)
    told = [*(place(record) if record else ()), *lost_to(decisions)]
    if told:
        yield facts(told, indent=2)
    if decisions:
        yield BLANK
        yield decision_table(decisions, indent=2)
    bars = list(scores(decisions, indent=2))
    if bars:
        yield BLANK
        yield from bars


def _shared(names: Sequence[str]) -> str:
    """What all names begin with, up to a `/` or `#`."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return _CUT.sub("", first[: next((place for place, (a, b) in pairs if a != b), len(first))])


def _together(account: Account) -> Iterator[Block]:
    """Many subjects in one table, by what tells them apart."""
    prefix = _shared(account.matched)
    count = f"{len(account.matched):,} subjects, {len(account.records):,} in the payload"
    yield line(span(prefix or account.subject, Tone.TITLE), span(f"  {count}", Tone.FAINT))
    yield BLANK
    places = {record.id: f"{record.position + 1} {record.section}" for record in account.records}
    decisions = sorted(account.decisions, key=lambda decision: natural_key(decision.subject))
    yield decision_table(decisions, prefix=prefix, places=places)
    told = lost_to(account.decisions)
    if told:
        yield BLANK
        yield facts(told)
