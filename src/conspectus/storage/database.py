"""One SQLite file with one schema, opened only where it is whole, known and ours; it knows no table.

The rollback journal is used, not the write-ahead log: logs of SQLite before 3.51.3 can lose pages when two connections
check-point at once. Writers queue behind a file lock before `BEGIN IMMEDIATE`: SQLite's own waiting lets sixteen
writers starve each other, a queue does not. Readers take no lock of ours.
"""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from conspectus.errors import Corrupt, StorageError, StorageFull
from conspectus.storage.atomic import storage_errors, sync_folder

Value: TypeAlias = str | bytes | int | float | None

_APPLICATION = 0x434F4E53  # "CONS": tells our databases from other programs' (https://www.sqlite.org/pragma.html)
_CHECKED_BYTES = 1 << 26
_PATIENCE = 60.0
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_PRIMARY = 0xFF  # an extended code holds its primary code in the low byte
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What a database has to be.

    Attributes:
        version: of the tables; a newer one is refused.
        tables: the statements that make them.
        durable: whether a commit has to outlive a power loss.
    """

    version: int
    tables: tuple[str, ...]
    durable: bool = True


class Database:
    """A database that is made on the first write; one object for all threads of one process."""

    def __init__(self, path: Path, schema: Schema) -> None:
        """Remember where it is; nothing is opened yet."""
        self.path = path
        self._schema = schema
        self._thread = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def close(self) -> None:
        """Let the file go; the next use opens it again."""
        with self._thread:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def rows(self, query: str, values: Sequence[Value] = ()) -> list[tuple[Value, ...]]:
        """Every row that `query` finds; none where the database has not been made yet.

        Raises:
            Corrupt: the file is damaged, another program's or of a newer version.
            StorageError: it cannot be read.
        """
        with self._thread, self._sqlite_errors():
            connection = self._opened()
            return [] if connection is None else connection.execute(query, values).fetchall()

    def rows_among(self, query: str, first: Sequence[Value], keys: Sequence[Value]) -> list[tuple[Value, ...]]:
        """The rows of `query` for all `keys`, asked in batches: `{keys}` in it stands for the places of one batch."""
        found: list[tuple[Value, ...]] = []
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            found += self.rows(query.format(keys=",".join("?" * len(batch))), (*first, *batch))
        return found

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection, None, None]:
        """A transaction that is alone in writing; committed at the end of the block, undone where it raises.

        One transaction does not begin inside another.

        Raises:
            Corrupt: the file is damaged, another program's or of a newer version.
            StorageFull: there is no room; nothing was changed.
            StorageError: it cannot be written.
        """
        with self._thread, self._queue(), self._sqlite_errors():
            connection = self._opened() or self._made()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _queue(self) -> Generator[None, None, None]:
        """The place of one writer; a process that dies leaves it."""
        lock = self.path.with_name(f"{self.path.name}.lock")
        with storage_errors(lock):
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with storage_errors(lock):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def _sqlite_errors(self) -> Generator[None, None, None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _translated(self.path, error) from error

    def _opened(self) -> sqlite3.Connection | None:
        """The open connection, or None where there is no database yet."""
        if self._connection is not None:
            if self._process != os.getpid():
                raise StorageError(f"{self.path} was opened in another process; open it again in this one")
            return self._connection
        if self._size() == 0:
            return None
        connection = self._connected()
        try:
            self._inspect(connection)
        except BaseException:
            connection.close()
            raise
        return self._kept(connection)

    def _made(self) -> sqlite3.Connection:
        """A new database; called by the only writer there is."""
        with storage_errors(self.path):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        connection = self._connected()
        try:
            connection.execute("BEGIN EXCLUSIVE")
            for statement in self._schema.tables:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {self._schema.version}")
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        with storage_errors(self.path.parent):
            sync_folder(self.path.parent)
        return self._kept(connection)

    def _size(self) -> int:
        with storage_errors(self.path):
            return self.path.stat().st_size if self.path.exists() else 0

    def _kept(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        self._connection = connection
        self._process = os.getpid()
        return connection

    def _connected(self) -> sqlite3.Connection:
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._schema.durable else 'OFF'}")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    def _inspect(self, connection: sqlite3.Connection) -> None:
        """Refuse what is not ours, newer or damaged; a large file is checked only where it is read."""
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION:
            raise Corrupt(str(self.path), "is not a database of conspectus")
        if version != self._schema.version:
            known = self._schema.version
            raise Corrupt(str(self.path), f"is of version {version} and this installation knows {known}")
        if self._size() <= _CHECKED_BYTES:
            with closing(connection.execute("PRAGMA quick_check(1)")) as check:
                (found,) = check.fetchone()
            if found != "ok":
                raise Corrupt(str(self.path), f"is damaged ({found})")


def _translated(path: Path, error: sqlite3.Error) -> StorageError:
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
    if code == sqlite3.SQLITE_FULL:
        return StorageFull(str(path))
    if code in _DAMAGED:
        return Corrupt(str(path), f"is damaged ({error})")
    return StorageError(f"{path}: {error}; see to the file's rights and its device")
