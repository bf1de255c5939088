"""What the archive still says about a call, for the commands that look at content; what is gone is told on stderr."""

from datetime import UTC, datetime

from conspectus.core.call import Caller
from conspectus.core.item import ContextItem
from conspectus.core.manifest import ContextManifest
from conspectus.errors import AssemblyError, ReplayError, SpecError
from conspectus.interfaces.cli.page import Tone, line, span
from conspectus.interfaces.cli.show import tell
from conspectus.workspace import Workspace


def archived_candidates(
    workspace: Workspace, manifest: ContextManifest, caller: Caller
) -> tuple[ContextItem, ...] | None:
    """The archived candidates that `caller` may read, or None where they are gone.

    Raises:
        MandatoryDenied: the call was another tenant's.
    """
    try:
        return workspace.candidates(manifest, caller, datetime.now(UTC))
    except ReplayError as error:
        _note(f"without the archived content: {error}")
        return None


def rebuilt_body(workspace: Workspace, manifest: ContextManifest, caller: Caller) -> str | None:
    """The payload as it left, or None where it cannot be rebuilt for `caller`."""
    try:
        return workspace.replay(manifest, caller, datetime.now(UTC)).payload.body
    except (ReplayError, AssemblyError, SpecError) as error:
        _note(f"without the payload: {error}")
        return None


def _note(text: str) -> None:
    tell([line(span("Note: ", Tone.WARNING), text)])
