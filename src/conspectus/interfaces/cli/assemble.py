"""`conspectus assemble`: one payload on stdout, and on stderr what it is made of."""

from datetime import UTC, datetime
from pathlib import Path

import click

from conspectus.core.call import Caller, Form
from conspectus.interfaces.cli.options import FILE, WITHIN, asking, debug_option, home_option, read_moment
from conspectus.interfaces.cli.progress import waiting
from conspectus.interfaces.cli.show import deliver, tell
from conspectus.interfaces.cli.summary import summary
from conspectus.workspace import INPUT_LIMIT, MODEL, OUTPUT_RESERVE, Brief, Workspace

HELP = f"""Make the context of one model call for QUESTION and print it.

The payload goes to stdout, byte for byte; what it is made of goes to stderr. When nothing can be assembled, stdout
stays empty. Folders are read just in time: .gitignore is honoured, binaries and keys are left out, and nothing outside
them is reached. A FILE may be a pipe, such as /dev/stdin or <(command): up to 64 MiB of it are read within 30 seconds.

Unless said otherwise the profile is {MODEL} with a window of 128,000 tokens; {OUTPUT_RESERVE:,} tokens are kept for
the answer (at most a quarter of the window), none for a tool loop, and the input is limited to {INPUT_LIMIT:,} tokens
(or what window and reserves leave, where that is less).

\b
Examples:
  conspectus assemble "Where are retries configured?" --in ~/src/shop > context.txt
  conspectus assemble "退货期限是多少天？" --in docs --whole docs/terms.md --input-limit 8000
  conspectus assemble "What next?" --history chat.jsonl --instructions policy.md --format openai
  conspectus assemble "Ship today?" --items stock.jsonl --slots needed.json --share evidence=10%:60%
"""


@click.command("assemble", help=HELP)
@click.argument("question")
@click.option("--in", "folders", type=FILE, multiple=True, metavar="FOLDER", help="A folder to read; may be repeated.")
@click.option(
    "--whole",
    type=WITHIN,
    multiple=True,
    metavar="PATH",
    help="A file of a folder that enters whole or not at all; may be repeated.",
)
@click.option("--history", type=FILE, metavar="FILE", help="A conversation as JSONL, in OpenAI's or Anthropic's shape.")
@click.option("--items", type=FILE, metavar="FILE", help="Your own items as JSONL.")
@click.option(
    "--instructions", type=FILE, multiple=True, metavar="FILE", help="An approved instruction; may be repeated."
)
@click.option("--examples", type=FILE, metavar="FILE", help="Labelled demonstrations as JSONL.")
@click.option(
    "--slots", type=FILE, metavar="FILE", help="Evidence the answer needs, as a JSON list; what is missing is named."
)
@click.option(
    "--model",
    default=MODEL,
    show_default=True,
    metavar="PROFILE",
    help="A profile of `conspectus models`, or a folder.",
)
@click.option(
    "--input-limit",
    type=int,
    default=INPUT_LIMIT,
    show_default=True,
    metavar="N",
    help="Tokens of the payload at most.",
)
@click.option(
    "--output-reserve", type=int, metavar="N", help=f"Tokens kept for the answer. [default: {OUTPUT_RESERVE}]"
)
@click.option(
    "--loop-reserve",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Tokens kept for a tool call and result.",
)
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="KIND=MIN:MAX",
    help="A kind's part, in tokens or, with %, of the input limit; either side may be empty; may be repeated.",
)
@asking
@click.option(
    "--now",
    callback=read_moment,
    metavar="ISO8601",
    help="The moment of the call, with time zone. [default: the clock]",
)
@home_option
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in Form]),
    default=Form.TEXT.value,
    show_default=True,
    help="The form of the payload.",
)
@click.option("--manifest", "target", type=FILE, metavar="FILE", help="Also write the manifest here.")
@click.option("--quiet", "-q", is_flag=True, help="No summary on stderr.")
@debug_option
def command(
    *,
    principal: str,
    tenant: str,
    groups: tuple[str, ...],
    now: datetime | None,
    home: Path | None,
    form: str,
    target: Path | None,
    quiet: bool,
    **given: object,
) -> None:
    """Open the workspace, assemble, print."""
    brief = Brief(form=Form(form), **given)  # type: ignore[arg-type]  # click has the types of the options above
    caller = Caller(principal=principal, tenant=tenant, groups=frozenset(groups))
    with waiting("Reading, choosing, counting"), Workspace.open(home) as workspace:
        assembly = workspace.assemble(brief, caller, now or datetime.now(UTC))
        if target is not None:
            workspace.export(assembly.manifest, target)
    deliver(assembly.payload.body)
    if not quiet:
        tell(summary(assembly.manifest, home, workspace.reports))
