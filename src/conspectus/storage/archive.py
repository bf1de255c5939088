"""The archive: content by tenant and hash, for as long as its retention allows; it knows neither items nor readers."""

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from conspectus.errors import BlobMissing, Corrupt, UnknownRevision
from conspectus.storage.database import Database, Schema, Value
from conspectus.storage.home import Home

SCHEMA = Schema(
    version=1,
    tables=(
        """
        CREATE TABLE blobs (
            tenant TEXT NOT NULL, digest BLOB NOT NULL, ends INTEGER, packed INTEGER NOT NULL, body BLOB NOT NULL,
            UNIQUE (tenant, digest)
        )
        """,
        "CREATE INDEX blobs_by_end ON blobs (ends) WHERE ends IS NOT NULL",
    ),
)
"""`ends` is in microseconds since 1970, NULL for no end; `packed` is 1 where `body` is a zlib stream."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_RETENTION, _DIGITS = 36_500, 5
_WORTH_PACKING = 2048
# A small window costs a small blob nothing in size and spares it the set-up of the full one: a quarter of the time.
_SMALL, _SMALL_WINDOW, _FULL_WINDOW = 8192, 12, 15


class ExpiringArchive(Protocol):
    """An archive whose blobs may have an end of their own; every `core.ports.Archive` that keeps retention is one."""

    def put(self, tenant: str, blobs: Sequence[bytes], *, ends: Sequence[datetime | None] = ()) -> tuple[str, ...]:
        """Keep the blobs, whole or not at all, each until its end at the latest; their digests in the same order."""
        ...

    def fetch(self, tenant: str, digest: str, source: str) -> bytes:
        """The blob; BlobMissing where it was never kept, or is gone."""
        ...

    def fetch_many(self, tenant: str, wanted: Mapping[str, str]) -> dict[str, bytes]:
        """The blobs by digest; `wanted` maps digests to sources; BlobMissing names the first source that is gone."""
        ...


def retention(policy: str) -> timedelta | None:
    """How long a retention policy keeps content: `keep` for ever, `days:N` for N days.

    Raises:
        UnknownRevision: no such policy.
    """
    name, _, number = policy.partition(":")
    if policy == "keep":
        return None
    days = int(number) if number.isascii() and number.isdecimal() and len(number) <= _DIGITS else 0
    if name == "days" and 0 < days <= _LONGEST_RETENTION:
        return timedelta(days=days)
    raise UnknownRevision("retention policy", policy, ("keep", f"days:1 to days:{_LONGEST_RETENTION}"))


class BlobArchive:
    """Blobs in the database of a state folder, under one retention policy, as of one moment."""

    def __init__(self, home: Home, policy: str, now: datetime) -> None:
        """Remember where; nothing is opened or made yet.

        Raises:
            UnknownRevision: no such retention policy.
        """
        kept_for = retention(policy)
        self._home = home
        self._database = Database(home.archive, SCHEMA)
        self._now = _microseconds(now)
        self._end = None if kept_for is None else self._now + kept_for // timedelta(microseconds=1)

    def close(self) -> None:
        """Let the database go."""
        self._database.close()

    def put(self, tenant: str, blobs: Sequence[bytes], *, ends: Sequence[datetime | None] = ()) -> tuple[str, ...]:
        """Keep the blobs, whole or not at all; their SHA-256 digests in the same order.

        Each is kept until the end of its retention or its own end, whichever is first; one that is held already keeps
        the later end. What has ended is removed on the way.

        Args:
            tenant: the only tenant that can fetch them.
            blobs: the content.
            ends: for each blob a moment from which it may no longer be kept, or None; empty for no such moments.

        Raises:
            StorageError: they could not be kept; nothing was.
        """
        digests = [hashlib.sha256(blob).digest() for blob in blobs]
        wanted: dict[bytes, int | None] = {}
        bodies = dict(zip(digests, blobs, strict=True))
        for digest, end in zip(digests, ends or [None] * len(blobs), strict=True):
            until = _earlier(self._end, None if end is None else _microseconds(end))
            wanted[digest] = _later(wanted[digest], until) if digest in wanted else until
        self._home.prepare()
        with self._database.writing() as connection:
            connection.execute("DELETE FROM blobs WHERE ends <= ?", (self._now,))
            held = self._ends(tenant, list(wanted))
            new = [(tenant, key, until, *_packed(bodies[key])) for key, until in wanted.items() if key not in held]
            connection.executemany("INSERT INTO blobs (tenant, digest, ends, packed, body) VALUES (?, ?, ?, ?, ?)", new)
            longer = [(later, tenant, key) for key, end in held.items() if (later := _later(end, wanted[key])) != end]
            connection.executemany("UPDATE blobs SET ends = ? WHERE tenant = ? AND digest = ?", longer)
        return tuple(digest.hex() for digest in digests)

    def fetch(self, tenant: str, digest: str, source: str) -> bytes:
        """The blob, checked against its digest.

        Args:
            tenant: whose it is.
            digest: SHA-256 in hexadecimal digits.
            source: where it came from, to name it when it is gone.

        Raises:
            BlobMissing: it was never kept, was forgotten, or has ended.
            Corrupt: its bytes are no longer those that were kept.
        """
        return self.fetch_many(tenant, {digest: source})[digest]

    def fetch_many(self, tenant: str, wanted: Mapping[str, str]) -> dict[str, bytes]:
        """The blobs by their digests, each checked against its own.

        Args:
            tenant: whose they are.
            wanted: for each digest the source to name when it is gone.

        Raises:
            BlobMissing: one was never kept, was forgotten, or has ended; the first in the order of `wanted`.
            Corrupt: the bytes of one are no longer those that were kept.
        """
        keys = {key: digest for digest in wanted if (key := _key(digest))}
        query = (
            "SELECT digest, packed, body FROM blobs "
            "WHERE tenant = ? AND (ends IS NULL OR ends > ?) AND digest IN ({keys})"
        )
        found: dict[str, bytes] = {}
        for stored, packed, body in self._database.rows_among(query, (tenant, self._now), list(keys)):
            digest = keys[stored] if isinstance(stored, bytes) else ""
            found[digest] = _unpacked(packed, body, digest)
        for digest, source in wanted.items():
            if digest not in found:
                raise BlobMissing(digest, source)
        return found

    def forget(self, tenant: str, digest: str) -> bool:
        """Remove one blob and overwrite its place; whether there was one.

        Raises:
            StorageError: it could not be removed.
        """
        key = _key(digest)
        if key is None or not self._database.rows("SELECT 1 FROM blobs WHERE tenant = ? AND digest = ?", (tenant, key)):
            return False
        with self._database.writing() as connection:
            gone = connection.execute("DELETE FROM blobs WHERE tenant = ? AND digest = ?", (tenant, key))
            return gone.rowcount > 0

    def forget_ended(self) -> int:
        """Remove every blob whose end has come; how many there were.

        Raises:
            StorageError: they could not be removed.
        """
        if not self._database.rows("SELECT 1 FROM blobs WHERE ends <= ? LIMIT 1", (self._now,)):
            return 0
        with self._database.writing() as connection:
            return connection.execute("DELETE FROM blobs WHERE ends <= ?", (self._now,)).rowcount

    def _ends(self, tenant: str, keys: Sequence[bytes]) -> dict[bytes, int | None]:
        query = "SELECT digest, ends FROM blobs WHERE tenant = ? AND digest IN ({keys})"
        rows: Iterable[tuple[Value, ...]] = self._database.rows_among(query, (tenant,), keys)
        return {key: end for key, end in rows if isinstance(key, bytes) and (end is None or isinstance(end, int))}


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _earlier(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def _later(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _key(digest: str) -> bytes | None:
    """The digest as it is stored, or None when it is no digest at all."""
    try:
        key = bytes.fromhex(digest)
    except ValueError:
        return None
    return key if len(key) == hashlib.sha256().digest_size else None


def _packed(blob: bytes) -> tuple[int, bytes]:
    if len(blob) < _WORTH_PACKING:
        return 0, blob
    window, memory = (_SMALL_WINDOW, 4) if len(blob) < _SMALL else (_FULL_WINDOW, 8)
    packer = zlib.compressobj(1, zlib.DEFLATED, window, memory)
    packed = packer.compress(blob) + packer.flush()
    return (1, packed) if len(packed) < len(blob) * 0.9 else (0, blob)


def _unpacked(packed: Value, body: Value, digest: str) -> bytes:
    try:
        if not isinstance(body, bytes):
            raise TypeError(type(body).__name__)
        blob = zlib.decompress(body) if packed else body
    except (zlib.error, TypeError) as error:
        raise Corrupt(f"archived content {digest[:12]}", f"cannot be unpacked ({error})") from error
    if hashlib.sha256(blob).hexdigest() != digest.lower():
        raise Corrupt(f"archived content {digest[:12]}", "is no longer what was kept")
    return blob
