"""Files written whole or not at all, and read whole or not at all; what the bytes mean is not known here.

The recipe is that of ALICE (Pillai et al., OSDI 2014): a temporary file in the same folder, fsync of the file, rename,
fsync of the folder. A process that is killed leaves at most its temporary file; it holds a lock on that file while it
lives, so that `sweep` can tell the dead one's from the living one's without a clock.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from conspectus.errors import Corrupt, InputError, StorageError, StorageFull

READ_LIMIT = 1 << 29
"""Bytes that `read_whole` reads at most."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_SUFFIX = ".tmp"
_OWN_ONLY = 0o600
_SERIAL = count()


def write_whole(path: Path, data: bytes) -> None:
    """Replace the regular file at `path`, or make it; a reader sees the old bytes or the new ones, also after a crash.

    Raises:
        Corrupt: something that is no regular file has this name; a link is not followed.
        StorageFull: there is no room; the old file is still whole.
        StorageError: the folder cannot be written.
    """
    with storage_errors(path):
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise Corrupt(str(path), "is no regular file")
        temporary, descriptor = _new_file(path)
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
            temporary.replace(path)
        except BaseException:
            with suppress(FileNotFoundError):
                temporary.unlink()
            raise
        finally:
            os.close(descriptor)
        sync_folder(path.parent)


def write_out(path: Path, data: bytes) -> None:
    """Write where a person asked for it: a file is replaced whole, a device or pipe is written to, links are followed.

    Raises:
        StorageFull: there is no room.
        StorageError: it cannot be written.
    """
    with storage_errors(path):
        target = path.resolve()
        if target.is_file() or not target.exists():
            write_whole(target, data)
            return
        descriptor = os.open(target, os.O_WRONLY | os.O_CLOEXEC)
        try:
            _write_all(descriptor, data)
        finally:
            os.close(descriptor)


def read_whole(path: Path, limit: int = READ_LIMIT) -> bytes:
    """The bytes of a file or a pipe, at most `limit` of them; a pipe without a writer is empty.

    Raises:
        InputError: it is absent, cannot be read, or is larger.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise InputError(str(path), f"cannot be read: {_why(error)}") from error
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and os.fstat(descriptor).st_size > limit:
            raise InputError(str(path), f"is larger than {limit:,} bytes")
        os.set_blocking(descriptor, True)
        data = _read_up_to(descriptor, limit + 1)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {_why(error)}") from error
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise InputError(str(path), f"is larger than {limit:,} bytes")
    return data


def sweep(folder: Path) -> int:
    """Remove the temporary files that killed processes left in `folder`; how many there were.

    Raises:
        StorageError: the folder cannot be read or written.
    """
    swept = 0
    with storage_errors(folder):
        for path in folder.iterdir():
            if path.name.startswith(".") and path.name.endswith(_SUFFIX):
                swept += _remove_abandoned(path)
    return swept


@contextmanager
def storage_errors(path: Path) -> Generator[None, None, None]:
    """Turn the operating system's errors into ours; `path` is what was being written."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull(str(path), _why(error)) from error
        raise StorageError(f"{path}: {_why(error)}; see to the folder's rights and its device") from error


def sync_folder(folder: Path) -> None:
    """Make renames and new names in `folder` outlive a power loss; raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _new_file(path: Path) -> tuple[Path, int]:
    """A locked temporary file beside `path`; another is made when a sweeper was quicker than the lock."""
    while True:
        temporary = path.with_name(f".{path.name[:32]}.{os.getpid()}.{next(_SERIAL)}{_SUFFIX}")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWN_ONLY)
        except FileExistsError:
            continue  # a killed process of the same number left it
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return temporary, descriptor
        os.close(descriptor)


def _remove_abandoned(temporary: Path) -> bool:
    try:
        descriptor = os.open(temporary, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:
            return False
        raise
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        temporary.unlink()
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(descriptor)
    return True


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _read_up_to(descriptor: int, limit: int) -> bytes:
    pieces: list[bytes] = []
    while limit > 0 and (piece := os.read(descriptor, min(limit, 1 << 20))):
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)


def _why(error: OSError | ValueError) -> str:
    return error.strerror or "cannot be opened" if isinstance(error, OSError) else "is no path"
