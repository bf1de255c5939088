"""Where a page goes and in which form: coloured on a terminal, plain in a pipe; it knows no page's meaning."""

import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TextIO

from conspectus.errors import StorageError
from conspectus.interfaces.cli import plain
from conspectus.interfaces.cli.loading import load
from conspectus.interfaces.cli.page import Page

DEFAULT_WIDTH = 80


def report(page: Page) -> None:
    """Write a page on stdout: it is what the command was asked for; raises StorageError."""
    with _writing(sys.stdout, "stdout") as stream:
        _write(page, stream)


def tell(page: Page) -> None:
    """Write a page on stderr, unless that is closed: it accompanies what the command was asked for.

    Raises:
        StorageError: it cannot be written.
    """
    if sys.stderr:
        with _writing(sys.stderr, "stderr") as stream:
            _write(page, stream)


def deliver(body: str) -> None:
    """Write a payload on stdout, byte for byte; only on a terminal is a missing last line break added.

    Raises:
        StorageError: it is closed, or cannot be written.
    """
    with _writing(sys.stdout, "stdout") as stream:
        stream.flush()
        stream.buffer.write(body.encode())
        if stream.isatty() and not body.endswith("\n"):
            stream.buffer.write(b"\n")
        stream.buffer.flush()


@contextmanager
def _writing(stream: TextIO | None, name: str) -> Generator[TextIO, None, None]:
    """The stream; where it cannot be written, an error says so, and what is left in it goes nowhere."""
    if stream is None:
        raise StorageError(f"{name} is closed; leave it open, or send it to a file")
    try:
        yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), stream.fileno())  # or the last flush fails, too
        raise StorageError(f"{name} cannot be written: {error.strerror}; make room, or send it elsewhere") from error


def is_terminal(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether a stream shows colours and bars: on a terminal, or where FORCE_COLOR says so."""
    if environment.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def _write(page: Page, stream: TextIO) -> None:
    if is_terminal(stream, os.environ):
        text = load("coloured").write(page, _width(stream), colour=not os.environ.get("NO_COLOR"))
    else:
        text = plain.write(page)
    stream.flush()
    stream.buffer.write(text.encode(errors="backslashreplace"))
    stream.buffer.flush()


def _width(stream: TextIO) -> int:
    """Cells of a line: COLUMNS, else the terminal's own width, else 80."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH
    except OSError:
        return DEFAULT_WIDTH
