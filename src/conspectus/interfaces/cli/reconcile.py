"""`conspectus reconcile`: our count against what the provider reported."""

from pathlib import Path

import click

from conspectus.errors import UsageMismatch
from conspectus.inspection.reconcile import reconcile, reconciled, reported_tokens
from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import FILE, inspecting, manifest_argument
from conspectus.interfaces.cli.page import Tone, line, span
from conspectus.interfaces.cli.show import report
from conspectus.sources.reading import read_bytes
from conspectus.workspace import Workspace

HELP = """Hold our token count against the provider's reported usage.

FILE is the provider's answer or its usage as JSON (OpenAI, Anthropic, llama.cpp). Drift above the profile's margin
is an alarm: it is written into the manifest, and the exit code is 8.

\b
Example:
  conspectus reconcile 3fa9c1 --usage answer.json
"""


@click.command("reconcile", help=HELP)
@manifest_argument
@click.option("--usage", type=FILE, required=True, metavar="FILE", help="The provider's answer or usage.")
@inspecting
def command(*, manifest: str, usage: Path, home: Path | None, as_json: bool) -> None:
    """Read, compare, keep an alarm."""
    with Workspace.open(home) as workspace:
        found = workspace.manifest(manifest)
        result = reconcile(found, reported_tokens(read_bytes(usage), str(usage)))
        if result.alarm:
            workspace.amend(manifest, reconciled(found, result))
    if as_json:
        dump(result)
    elif not result.alarm:
        agreed = f"{result.ours:,} tokens counted, {result.theirs:,} reported: drift {result.drift:+.2%}"
        report([line(span(agreed, Tone.GOOD), f", within the margin of {result.margin:.1%}")])
    if result.alarm:
        raise UsageMismatch(result.ours, result.theirs, result.margin)
