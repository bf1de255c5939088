"""`conspectus replay`: a payload once more, byte for byte."""

from datetime import UTC, datetime
from pathlib import Path

import click

from conspectus.core.call import Caller
from conspectus.interfaces.cli.options import asking, debug_option, home_option, manifest_argument
from conspectus.interfaces.cli.progress import waiting
from conspectus.interfaces.cli.show import deliver
from conspectus.workspace import Workspace

HELP = """Rebuild the payload of MANIFEST from the archive and print it in the form it was assembled in.

The caller is authorized again for everything in it. A payload that differs by a byte, or content that is gone,
is exit 5.

\b
Example:
  conspectus replay 3fa9c1 > context.txt
"""


@click.command("replay", help=HELP)
@manifest_argument
@asking
@home_option
@debug_option
def command(*, manifest: str, principal: str, tenant: str, groups: tuple[str, ...], home: Path | None) -> None:
    """Read, rebuild, print."""
    caller = Caller(principal=principal, tenant=tenant, groups=frozenset(groups))
    with waiting("Rebuilding"), Workspace.open(home) as workspace:
        assembly = workspace.replay(workspace.manifest(manifest), caller, datetime.now(UTC))
    deliver(assembly.payload.body)
