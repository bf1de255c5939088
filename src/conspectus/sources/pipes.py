"""All that comes out of a pipe, bounded in bytes and seconds; files and devices are not read here."""

import os
import select
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from conspectus.errors import InputError

_PIECE = 1 << 20
_TICK = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a pipe is waited for, in seconds.

    Attributes:
        writer: until somebody has opened it to write, or has written.
        whole: until it is closed by all who write.
    """

    writer: float = 1.0
    whole: float = 30.0


PATIENCE = Patience()


def read_pipe(descriptor: int, path: Path, limit: int, patience: Patience) -> bytes:
    """Everything that is written to a pipe before it is closed; `descriptor` is open and does not block.

    Raises:
        InputError: nobody opens it to write, it holds more than `limit` bytes, or it is not closed in time.
        OSError: it cannot be read.
    """
    start = monotonic()
    watch = select.poll()
    watch.register(descriptor, select.POLLIN)
    data = bytearray()
    opened = False
    while (left := start + (patience.whole if opened else patience.writer) - monotonic()) > 0:
        seen = watch.poll(min(left, _TICK) * 1_000)
        piece = _piece(descriptor)
        if not piece and seen and seen[0][1] & select.POLLHUP:
            return bytes(data)
        opened = opened or piece != b""
        data += piece or b""
        if len(data) > limit:
            raise InputError(str(path), f"gives more than the {limit:,} bytes that are read of a pipe")
    raise InputError(str(path), _late(patience, opened=opened))


def _piece(descriptor: int) -> bytes | None:
    """What can be read now: nothing where nobody has the pipe open to write, None where its writer is silent."""
    try:
        return os.read(descriptor, _PIECE)
    except BlockingIOError:
        return None


def _late(patience: Patience, *, opened: bool) -> str:
    if opened:
        return f"is not closed after {patience.whole:g} s; write it to a file first, and name that"
    return f"is a pipe that nobody writes to, waited for {patience.writer:g} s; start the writer first, or name a file"
