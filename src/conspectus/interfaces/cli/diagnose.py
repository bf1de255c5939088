"""`conspectus diagnose`: the one cause that kept something from the model or the answer."""

from datetime import UTC, datetime
from pathlib import Path

import click

from conspectus.core.call import Caller
from conspectus.core.manifest import ContextManifest
from conspectus.errors import AssemblyError, ReplayError, SpecError
from conspectus.inspection.diagnose import Diagnosis, Knowledge, diagnose
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import FILE, asking, inspecting, manifest_argument
from conspectus.interfaces.cli.page import BLANK, Block, Page, Tone, line, span
from conspectus.interfaces.cli.show import report
from conspectus.sources.reading import read_text
from conspectus.workspace import Workspace

HELP = """Name which of six causes kept WHAT from the model or the answer.

WHAT is an item id, a file, source/NAME, or a fact in your own words. The causes: not retrieved, not authorized (told
only to an --operator), excluded in selection, lost in reduction, broken in serialization, provided but not used.

\b
Examples:
  conspectus diagnose 3fa9c1 "max_retries = 5"
  conspectus diagnose 3fa9c1 src/shop/http.py --answer answer.txt
"""


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
    workspace = Workspace.open(home)
    caller = Caller(principal=principal, tenant=tenant, groups=frozenset(groups))
    found = workspace.manifest(manifest)
    text = read_text(answer) if answer else None
    diagnosis = diagnose(found, what, knowledge(workspace, found, caller, text, operator=operator))
    if as_json:
        dump(diagnosis)
    else:
        report(page(diagnosis))


def knowledge(
    workspace: Workspace, manifest: ContextManifest, caller: Caller, answer: str | None, *, operator: bool
) -> Knowledge:
    """What the archive still says about the call, and what was answered; what is gone stays unknown."""
    now = datetime.now(UTC)
    try:
        candidates = workspace.candidates(manifest, caller, now)
        body = workspace.replay(manifest, caller, now).payload.body
    except (ReplayError, AssemblyError, SpecError):
        return Knowledge(answer=answer, operator=operator)
    return Knowledge(candidates=candidates, body=body, answer=answer, operator=operator)


def page(diagnosis: Diagnosis) -> Page:
    """The page about one diagnosis."""
    blocks: list[Block] = [
        line(span(diagnosis.cause.value.replace("_", " "), Tone.TITLE), span(f"  {diagnosis.what}", Tone.FAINT)),
        BLANK,
        line(diagnosis.explanation),
    ]
    if diagnosis.subjects:
        blocks.append(line("items: ", span(", ".join(diagnosis.subjects), Tone.NAME), indent=2))
    if diagnosis.pointer:
        blocks.append(line("original: ", span(diagnosis.pointer, Tone.NAME), indent=2))
    if diagnosis.lost_to:
        blocks.append(line("lost to: ", span(", ".join(diagnosis.lost_to), Tone.NAME), indent=2))
    return blocks
