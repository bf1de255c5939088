"""A sign of life on stderr while long work runs; it knows nothing of how far the work is."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Timer
from typing import Any

from conspectus.interfaces.cli.loading import load
from conspectus.interfaces.cli.show import is_terminal

PATIENCE = 0.5
"""Seconds of silence."""


@contextmanager
def waiting(what: str) -> Generator[None, None, None]:
    """Say that `what` is going on, on a terminal only, and only when it takes more than half a second."""
    if not (sys.stderr and sys.stderr.isatty() and is_terminal(sys.stderr, os.environ)):
        yield
        return
    with _Delayed(what):
        yield


class _Delayed:
    """A spinner that appears when its patience has run out."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._spinner: Any = None
        self._timer = Timer(PATIENCE, self._start)
        self._timer.daemon = True

    def _start(self) -> None:
        self._spinner = load("spinner").started(self._what)

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *failure: object) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._spinner is not None:
            self._spinner.stop()
