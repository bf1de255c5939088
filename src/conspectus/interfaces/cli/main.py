"""The command `conspectus`: names its commands, loads the one that is called, and turns errors into exit codes."""

import errno
import sys
import traceback
from contextlib import suppress

import click

from conspectus.errors import ContextError, StorageError, StorageFull
from conspectus.interfaces.cli.advice import in_options
from conspectus.interfaces.cli.exits import exit_code
from conspectus.interfaces.cli.loading import Commands
from conspectus.interfaces.cli.options import debug_option, debugging
from conspectus.interfaces.cli.page import Tone, line, span
from conspectus.interfaces.cli.show import tell

ABOUTS = {
    "assemble": "Make the context of one model call and print it.",
    "why": "Tell every decision about one item, file or source.",
    "diagnose": "Name the one cause that kept a fact from the model or the answer.",
    "quality": "Measure a context and suggest what to change.",
    "reconcile": "Hold our token count against the provider's usage.",
    "replay": "Rebuild a payload byte for byte.",
    "diff": "Show what entered, left, moved and grew between two contexts.",
    "models": "List the model profiles and what they promise.",
    "completion": "Print the completion script of a shell.",
}

HELP = """Decide what a language model gets to see before a call, and be able to say why.

The payload is printed on stdout, everything else on stderr. Manifests, the archive and the count cache are kept in
`.conspectus/` of the current folder, or in --home.

\b
Examples:
  conspectus assemble "Where are retries configured?" --in ~/src/shop > context.txt
  conspectus why 3fa9c1 http.py
  conspectus replay 3fa9c1

\b
Exit codes:
  0  done
  2  usage, or settings that cannot be met (limit <= 0, reserve >= window, unknown profile or kind)
  3  bad input: a question, a file or a line of it
  4  cannot assemble: the mandatory items do not fit, are denied, or lack a dependency
  5  replay: the payload drifted, or archived content is gone
  6  storage   7  tool   8  model
"""


class Doors(click.Group):
    """The group of all commands: lists them without loading them, and shows errors without a traceback."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in the order a newcomer meets them."""
        names = sorted(self.list_commands(ctx), key=list(ABOUTS).index)
        with formatter.section("Commands"):
            formatter.write_dl([(name, ABOUTS[name]) for name in names])

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; an error becomes a message that says what to do next, and its family's exit code."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - the door is where everything is caught and told
            if debugging(ctx):
                traceback.print_exception(error, file=sys.stderr)
            ctx.exit(refuse(error))


def refuse(error: Exception) -> int:
    """Tell an error; its family's exit code."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:  # click writes help and versions by itself
        return refuse(StorageFull("stdout", "no space left on the device"))
    with suppress(StorageError):  # where stderr cannot be written, the exit code says it
        tell([line(span("Error: ", Tone.LOST), _message(error))])
    return exit_code(error)


def _message(error: Exception) -> str:
    """What a person reads; an error of no family is our fault, and says how to find out more."""
    if isinstance(error, ContextError):
        return in_options(error)
    return f"{type(error).__name__}: {error}\nThis is a fault of conspectus. Add --debug to see where it happened."


@click.group(
    name="conspectus",
    cls=Doors,
    commands=Commands(ABOUTS),
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="conspectus", message="%(prog)s %(version)s")
@debug_option
def cli() -> None:
    """Everything is done by the command that is called."""


def main() -> None:
    """The entry point of the command line."""
    try:
        cli(prog_name="conspectus")
    except OSError as error:
        sys.exit(refuse(error))
