"""`conspectus diagnose`: the one cause that kept something from the model or the answer."""

from pathlib import Path

import click

from conspectus.core.call import Caller
from conspectus.inspection.diagnose import Cause, Diagnosis, Knowledge, diagnose
from conspectus.interfaces.cli.archived import archived_candidates, rebuilt_body
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import FILE, asking, inspecting, manifest_argument
from conspectus.interfaces.cli.page import BLANK, Block, Page, Tone, line, span
from conspectus.interfaces.cli.show import report
from conspectus.interfaces.cli.told import decision_table, facts, place, scores
from conspectus.sources.reading import read_text
from conspectus.workspace import Workspace

HELP = """Name which of six causes kept WHAT from the model or the answer.

WHAT is an item id, a file, source/NAME, or a fact in your own words. The causes: not retrieved, not authorized (told
only to an --operator), excluded in selection, lost in reduction, broken in serialization, provided but not used
(needs --answer).

\b
Examples:
  conspectus diagnose 3fa9c1 "max_retries = 5"
  conspectus diagnose 3fa9c1 http.py --answer answer.txt
  conspectus diagnose 3fa9c1 note/salaries --operator
"""
_SHOWN = 8
_GOOD = (Cause.PROVIDED,)


@click.command("diagnose", help=HELP)
@manifest_argument
@click.argument("what")
@click.option("--answer", type=FILE, metavar="FILE", help="What the model answered.")
@click.option("--operator", is_flag=True, help="The reader may know that something was withheld.")
@asking
@inspecting
def command(
    *,
    manifest: str,
    what: str,
    answer: Path | None,
    operator: bool,
    principal: str,
    tenant: str,
    groups: tuple[str, ...],
    home: Path | None,
    as_json: bool,
) -> None:
    """Read, ask, show."""
    caller = Caller(principal=principal, tenant=tenant, groups=frozenset(groups))
    text = read_text(answer) if answer else None
    with Workspace.open(home) as workspace:
        found = workspace.manifest(manifest)
        candidates = archived_candidates(workspace, found, caller)
        body = None if candidates is None else rebuilt_body(workspace, found, caller)
    diagnosis = diagnose(found, what, Knowledge(candidates=candidates, body=body, answer=text, operator=operator))
    if as_json:
        dump(diagnosis)
    else:
        report(page(diagnosis))


def page(diagnosis: Diagnosis) -> Page:
    """The page about one diagnosis."""
    tone = Tone.GOOD if diagnosis.cause in _GOOD else Tone.LOST
    pairs = [
        ("items", ", ".join(diagnosis.subjects[:_SHOWN]) + (", …" if len(diagnosis.subjects) > _SHOWN else "")),
        *(place(diagnosis.record) if diagnosis.record else ()),
        ("original", diagnosis.pointer),
        *(("lost to" if number == 0 else "", name) for number, name in enumerate(diagnosis.lost_to)),
    ]
    blocks: list[Block] = [
        line(span(diagnosis.what, Tone.TITLE)),
        line(span(diagnosis.cause.replace("_", " "), tone)),
        BLANK,
        line(diagnosis.explanation, indent=2),
        BLANK,
        facts([(what, text) for what, text in pairs if text], indent=2),
    ]
    if diagnosis.decision is not None:
        blocks.extend((BLANK, decision_table((diagnosis.decision,), indent=2), BLANK))
        blocks.extend(scores((diagnosis.decision,), indent=2))
    return blocks
