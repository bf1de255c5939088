"""Where a page goes and in which form: coloured on a terminal, plain in a pipe; it knows no page's meaning."""

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from conspectus.interfaces.cli import plain
from conspectus.interfaces.cli.loading import load
from conspectus.interfaces.cli.page import Page

DEFAULT_WIDTH = 80


def report(page: Page) -> None:
    """Write a page on stdout: it is what the command was asked for."""
    _write(page, sys.stdout)


def tell(page: Page) -> None:
    """Write a page on stderr: it accompanies what the command was asked for."""
    _write(page, sys.stderr)


def deliver(body: str) -> None:
    """Write a payload on stdout, byte for byte; only on a terminal is a missing last line break added."""
    sys.stdout.flush()
    sys.stdout.buffer.write(body.encode())
    if sys.stdout.isatty() and not body.endswith("\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


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
