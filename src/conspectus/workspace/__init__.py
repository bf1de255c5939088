"""One folder, opened: the only place that builds parts and ties them together; it decides nothing about a context."""

from conspectus.workspace.brief import INPUT_LIMIT, MODEL, OUTPUT_RESERVE, Brief, read_share
from conspectus.workspace.opened import HOME, Workspace

__all__ = ["HOME", "INPUT_LIMIT", "MODEL", "OUTPUT_RESERVE", "Brief", "Workspace", "read_share"]
