"""`conspectus completion`: the script by which a shell completes our commands; it installs nothing."""

import click
from click.shell_completion import get_completion_class

from conspectus.interfaces.cli.options import debug_option, home_option
from conspectus.interfaces.cli.show import deliver

SHELLS = ("bash", "zsh", "fish")
HELP = """Print the script that completes conspectus in SHELL.

\b
Examples:
  conspectus completion bash >> ~/.bashrc
  conspectus completion zsh  >> ~/.zshrc
  conspectus completion fish > ~/.config/fish/completions/conspectus.fish
"""


@click.command("completion", help=HELP)
@click.argument("shell", type=click.Choice(SHELLS))
@home_option
@debug_option
@click.pass_context
def command(ctx: click.Context, *, shell: str, home: object) -> None:  # noqa: ARG001 - every command takes --home
    """Let click write the script."""
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    root = ctx.find_root()
    deliver(found(root.command, {}, "conspectus", "_CONSPECTUS_COMPLETE").source())
