"""A folder held open, and files opened beneath it and nowhere else; it decides nothing about what bytes mean.

On Linux the kernel itself confines the look-up (`openat2` with `RESOLVE_BENEATH` and `RESOLVE_NO_MAGICLINKS`), so that
no exchange of a folder for a link between a check and its use can lead outside. Where the kernel lacks the call, each
component is opened in turn and links are not followed at all. What was opened is then judged by its own descriptor.
"""

import ctypes
import errno
import os
import stat
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from conspectus.errors import InputError

_OPENAT2 = 437  # the same number on x86-64, aarch64 and riscv64
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_LONGEST_PATH = 4096  # bytes, with the one that ends it, as Linux counts
_ATTEMPTS = 64  # the kernel answers EAGAIN when a rename somewhere raced with `..`
_ONLY_LOOK = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)  # where O_PATH is missing, looking is opening


class Refusal(StrEnum):
    """Why a path beneath a folder was not opened."""

    PATH_ESCAPE = "path_escape"
    LINK = "link"
    NOT_REGULAR = "not_regular"
    NOT_A_FOLDER = "not_a_folder"
    HARD_LINK = "hard_link"
    ABSENT = "absent"
    DENIED = "denied"
    BAD_PATH = "bad_path"
    FAILED = "failed"


_REFUSALS = {
    errno.EXDEV: Refusal.PATH_ESCAPE,
    errno.EAGAIN: Refusal.PATH_ESCAPE,
    errno.ELOOP: Refusal.LINK,
    errno.ENXIO: Refusal.NOT_REGULAR,
    errno.ENODEV: Refusal.NOT_REGULAR,
    errno.ENOTDIR: Refusal.NOT_A_FOLDER,
    errno.ENOENT: Refusal.ABSENT,
    errno.EACCES: Refusal.DENIED,
    errno.EPERM: Refusal.DENIED,
    errno.ENAMETOOLONG: Refusal.BAD_PATH,
    errno.EINVAL: Refusal.BAD_PATH,
}


class Shape(StrEnum):
    """What an entry of a folder is, links not followed; `other` is a pipe, a socket or a device."""

    FOLDER = "folder"
    FILE = "file"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name in a folder."""

    name: bytes
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An open descriptor, to be closed by its owner, and the state it had when it was opened."""

    descriptor: int
    status: os.stat_result


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a file holds; `data` is empty and `complete` False when it is larger than the limit of the reading."""

    data: bytes
    status: os.stat_result
    complete: bool


class Folder:
    """A folder held open by its descriptor; whatever happens to its path later, this folder is meant.

    Every path is given in bytes, relative to the folder. Use it in a `with` statement, or `close` it.
    """

    def __init__(self, path: Path) -> None:
        """Open the folder; links in `path` itself are followed, for it is the operator's own word.

        Raises:
            InputError: there is no such folder, or it cannot be read.
        """
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            raise InputError(str(path), f"{_why(error)}; give a folder that exists and may be read") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the folder go; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def look(self, path: bytes) -> os.stat_result | Refusal:
        """The state of whatever `path` leads to beneath the folder, links followed, without opening it for reading."""
        opened = self._open(path, _ONLY_LOOK, follow=True)
        if isinstance(opened, Refusal):
            return opened
        os.close(opened.descriptor)
        return opened.status

    def open_file(self, path: bytes, *, follow: bool = True, hard_links: bool = False) -> Opened | Refusal:
        """Open a regular file for reading.

        Args:
            path: relative to the folder.
            follow: follow links that stay beneath the folder; without, any link on the way is refused.
            hard_links: allow a file that has a second name, which may lie outside the folder.
        """
        opened = self._open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY, follow=follow)
        if isinstance(opened, Refusal):
            return Refusal.ABSENT if opened is Refusal.NOT_A_FOLDER else opened
        refusal = None
        if not stat.S_ISREG(opened.status.st_mode):
            refusal = Refusal.NOT_REGULAR
        elif opened.status.st_nlink > 1 and not hard_links:
            refusal = Refusal.HARD_LINK
        if refusal is None:
            return opened
        os.close(opened.descriptor)
        return refusal

    def read(self, path: bytes, *, limit: int, follow: bool = True, hard_links: bool = False) -> Content | Refusal:
        """The bytes of a regular file of at most `limit` bytes; a larger one costs no more than its opening."""
        opened = self.open_file(path, follow=follow, hard_links=hard_links)
        if isinstance(opened, Refusal):
            return opened
        try:
            if opened.status.st_size > limit:
                return Content(data=b"", status=opened.status, complete=False)
            data = _read_up_to(opened.descriptor, limit + 1, opened.status.st_size)
        except OSError as error:
            return _REFUSALS.get(error.errno or 0, Refusal.FAILED)
        finally:
            os.close(opened.descriptor)
        if len(data) > limit:
            return Content(data=b"", status=opened.status, complete=False)
        return Content(data=data, status=opened.status, complete=True)

    def entries(self, path: bytes = b".") -> tuple[Entry, ...] | Refusal:
        """What a folder beneath this one holds, in the order of bytes; the way there follows no link."""
        opened = self._open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK, follow=False)
        if isinstance(opened, Refusal):
            return opened
        try:
            with os.scandir(opened.descriptor) as listed:
                found = [Entry(name=os.fsencode(entry.name), shape=_shape(entry)) for entry in listed]
        except OSError as error:
            return _REFUSALS.get(error.errno or 0, Refusal.FAILED)
        finally:
            os.close(opened.descriptor)
        return tuple(sorted(found, key=lambda entry: entry.name))

    def _open(self, path: bytes, flags: int, *, follow: bool) -> Opened | Refusal:
        if not path or b"\0" in path or len(path) >= _LONGEST_PATH:
            return Refusal.BAD_PATH
        try:
            opener = _open_confined if _kernel_confines() else _open_stepwise
            descriptor = opener(self._descriptor, path, flags | os.O_CLOEXEC, follow)
        except OSError as error:
            return _REFUSALS.get(error.errno or 0, Refusal.FAILED)
        if isinstance(descriptor, Refusal):
            return descriptor
        try:
            return Opened(descriptor=descriptor, status=os.fstat(descriptor))
        except OSError:
            os.close(descriptor)
            return Refusal.FAILED


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _kernel_confines() -> bool:
    """Whether this kernel has `openat2` and nothing (an old container's filter) forbids it."""
    if sys.platform != "linux":
        return False
    here = os.open(b"/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(_open_confined(here, b".", os.O_RDONLY | os.O_CLOEXEC, follow=False))
    except OSError:
        return False
    finally:
        os.close(here)
    return True


def _open_confined(folder: int, path: bytes, flags: int, follow: bool) -> int:
    """Open `path` by `openat2`; raises OSError with the kernel's errno."""
    how = _OpenHow(flags, 0, _BENEATH | _NO_MAGICLINKS | (0 if follow else _NO_SYMLINKS))
    syscall = _library().syscall
    size = ctypes.c_size_t(ctypes.sizeof(how))
    reason = errno.EAGAIN
    for _ in range(_ATTEMPTS):
        descriptor: int = syscall(ctypes.c_long(_OPENAT2), ctypes.c_int(folder), path, ctypes.byref(how), size)
        if descriptor >= 0:
            return descriptor
        reason = ctypes.get_errno()
        if reason not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(reason, os.strerror(reason))


def _open_stepwise(folder: int, path: bytes, flags: int, _follow: bool) -> int | Refusal:
    """Open `path` component by component, refusing every link; raises OSError as `os.open` does."""
    parts = [part for part in path.split(b"/") if part not in (b"", b".")]
    if path.startswith(b"/") or b".." in parts:
        return Refusal.PATH_ESCAPE
    current = os.dup(folder)
    for place, part in enumerate(parts):
        wanted = flags if place == len(parts) - 1 else os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        try:
            if _is_link(part, current):
                return Refusal.LINK
            following = os.open(part, wanted | os.O_NOFOLLOW, dir_fd=current)
        finally:
            os.close(current)
        current = following
    return current


def _is_link(name: bytes, folder: int) -> bool:
    """Only to name the refusal; that no link is followed is what O_NOFOLLOW is for."""
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _shape(entry: os.DirEntry[str]) -> Shape:
    if entry.is_symlink():
        return Shape.LINK
    if entry.is_dir(follow_symlinks=False):
        return Shape.FOLDER
    return Shape.FILE if entry.is_file(follow_symlinks=False) else Shape.OTHER


def _read_up_to(descriptor: int, limit: int, expected: int) -> bytes:
    """Read to the end, or `limit` bytes of it; a file may be longer or shorter than its size said."""
    pieces: list[bytes] = []
    wanted = expected + 1
    while limit > 0 and (piece := os.read(descriptor, min(limit, wanted))):
        pieces.append(piece)
        limit -= len(piece)
        wanted = 1 << 16
    return b"".join(pieces)


def _why(error: OSError | ValueError) -> str:
    return error.strerror or "cannot be opened" if isinstance(error, OSError) else "is no path"
