"""What can be computed again, kept to save the time: values by scope and key; nothing may depend on their being there.

Whatever is wrong with a cache, it is done without: a damaged one is dropped and begun anew, and what happened is told.
"""

import hashlib
import zlib
from collections.abc import Iterable, Sequence

from conspectus.errors import Corrupt, StorageError
from conspectus.storage.database import Database, Schema
from conspectus.storage.home import Home

SCHEMA = Schema(
    version=1,
    tables=("CREATE TABLE entries (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",),
    durable=False,
)
LARGEST = 1 << 27
"""Bytes a cache may have before it is begun anew."""

_CHECK_BYTES = 4
_SCOPE_BYTES = 16


class KeyValueCache:
    """The cache of a state folder, shared by all processes that use it."""

    def __init__(self, home: Home, *, largest: int = LARGEST) -> None:
        """Remember where; nothing is opened or made yet. `largest` is in bytes."""
        self._home = home
        self._database = Database(home.cache, SCHEMA)
        self._largest = largest
        self._reports: list[str] = []

    @property
    def reports(self) -> tuple[str, ...]:
        """What went wrong so far, for whoever runs this to see."""
        return tuple(self._reports)

    def close(self) -> None:
        """Let the database go."""
        self._database.close()

    def load(self, scope: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values kept under `keys` in `scope`, in that order; None where there is none.

        Args:
            scope: what else the values depend on, such as the revision of whatever computed them.
            keys: such as hashes of what they were computed from.
        """
        prefix = _prefix(scope)
        wanted = [prefix + key for key in keys]
        try:
            rows = self._database.rows_among("SELECT key, value FROM entries WHERE key IN ({keys})", (), wanted)
        except StorageError as error:
            self._recover(error)
            return [None] * len(wanted)
        found: dict[bytes, bytes] = {}
        for key, stored in rows:
            if isinstance(key, bytes) and isinstance(stored, bytes) and _checked(key, stored[_CHECK_BYTES:]) == stored:
                found[key] = stored[_CHECK_BYTES:]
        if len(found) < len(rows):
            self._reports.append(f"{self._home.cache}: {len(rows) - len(found)} damaged values were not used")
        return [found.get(key) for key in wanted]

    def save(self, scope: str, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep a value under each key; one that is there already is replaced."""
        prefix = _prefix(scope)
        rows = [(prefix + key, _checked(prefix + key, value)) for key, value in pairs]
        if not rows:
            return
        try:
            self._home.prepare()
            with self._database.writing() as connection:
                if self._size() > self._largest:
                    connection.execute("DELETE FROM entries")
                connection.executemany("INSERT OR REPLACE INTO entries (key, value) VALUES (?, ?)", rows)
        except StorageError as error:
            self._recover(error)

    def _size(self) -> int:
        """Bytes in use, free pages left out."""
        query = (
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        )
        ((size,),) = self._database.rows(query)
        return size if isinstance(size, int) else 0

    def _recover(self, error: StorageError) -> None:
        """Begin anew where the file is damaged; in any case go on without it and say so."""
        if not isinstance(error, Corrupt):
            self._reports.append(f"the cache was done without: {error}")
            return
        self._reports.append(f"{self._home.cache} was damaged and is begun anew")
        self._database.close()
        for path in (self._home.cache, self._home.cache.with_name(f"{self._home.cache.name}-journal")):
            path.unlink(missing_ok=True)


def _prefix(scope: str) -> bytes:
    return hashlib.blake2b(scope.encode(), digest_size=_SCOPE_BYTES).digest()


def _checked(key: bytes, value: bytes) -> bytes:
    """The value behind its check sum, which covers the key as well."""
    return zlib.crc32(value, zlib.crc32(key)).to_bytes(_CHECK_BYTES, "big") + value
