"""A turning sign with the seconds it has been turning, on a terminal's stderr; it leaves no trace when it stops."""

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


def started(what: str) -> Progress:
    """A sign that is turning already; `stop()` takes it away."""
    columns = (SpinnerColumn(style="cyan"), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.add_task(what, total=None)
    progress.start()
    return progress
