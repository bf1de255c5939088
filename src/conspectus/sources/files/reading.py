"""One file to its text, or the reason why it has none to offer; it does not choose which files are read."""

import codecs
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from conspectus.core.manifest import Reason
from conspectus.storage.beneath import Folder, Refusal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WIDE_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\x0b\x0c\r\x1b") | {127})
_TEXT_CONTROLS = 0.01  # share of other control bytes above which what is no UTF-8 is no text either
VERSION_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFile:
    """A text that was read once, whole.

    Attributes:
        path: relative to the folder.
        text: decoded, without a byte order mark, otherwise as it is.
        size: bytes of the file.
        content_hash: SHA-256 of the bytes.
        observed_at: when it was last modified, or None where the file system holds no moment a calendar knows.
        identity: device and inode.
    """

    path: bytes
    text: str
    size: int
    content_hash: str
    observed_at: datetime | None
    identity: tuple[int, int]

    @property
    def version(self) -> str:
        """The first digits of the content hash, as items cite it."""
        return self.content_hash[:VERSION_DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why a file has no text to offer."""

    reason: Reason
    detail: str


def read_text(folder: Folder, path: bytes, *, limit: int, hard_links: bool, follow: bool = False) -> TextFile | Unread:
    """The text of a regular file of at most `limit` bytes beneath `folder`."""
    content = folder.read(path, limit=limit, follow=follow, hard_links=hard_links)
    if isinstance(content, Refusal):
        return Unread(reason=Reason.UNREADABLE, detail=content)
    if not content.complete:
        return Unread(reason=Reason.TOO_LARGE, detail=f"{content.status.st_size:,} bytes, at most {limit:,}")
    text = decode(content.data)
    if isinstance(text, Unread):
        return text
    return TextFile(
        path=path,
        text=text,
        size=len(content.data),
        content_hash=hashlib.sha256(content.data).hexdigest(),
        observed_at=_moment(content.status.st_mtime_ns),
        identity=(content.status.st_dev, content.status.st_ino),
    )


def decode(data: bytes) -> str | Unread:
    """`data` as text: UTF-8 with or without a byte order mark, and nothing else is guessed at."""
    if data.startswith(_WIDE_MARKS):
        return Unread(reason=Reason.MALFORMED, detail="UTF-16 or UTF-32; save it as UTF-8")
    if b"\0" in data:
        return Unread(reason=Reason.BINARY, detail="holds NUL")
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        if len(data) - len(data.translate(None, _CONTROLS)) > _TEXT_CONTROLS * len(data):
            return Unread(reason=Reason.BINARY, detail="no text")
        return Unread(reason=Reason.MALFORMED, detail=f"no UTF-8 at byte {error.start}; save it as UTF-8")


def _moment(nanoseconds: int) -> datetime | None:
    try:
        return _EPOCH + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return None
