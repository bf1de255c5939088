"""A database is opened only where it is whole, known and ours; everything else is told and left as it is."""

import multiprocessing
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from conspectus.errors import Corrupt, StorageError, StorageFull
from conspectus.storage.database import Database, Schema

SCHEMA = Schema(version=3, tables=("CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT)",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.db"


def write(database: Database, name: str, text: str = "") -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO notes VALUES (?, ?)", (name, text))


def names(database: Database) -> list[object]:
    return [name for (name,) in database.rows("SELECT name FROM notes ORDER BY name")]


def fail_after_writing(database: Database) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO notes VALUES ('b', '')")
        raise ZeroDivisionError


def made(path: Path) -> None:
    database = Database(path, SCHEMA)
    write(database, "first", "x" * 9_000)
    database.close()


def test_reading_makes_nothing_and_writing_does(path: Path) -> None:
    database = Database(path, SCHEMA)
    assert names(database) == []
    assert not path.exists()
    write(database, "a")
    assert names(database) == names(Database(path, SCHEMA)) == ["a"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_of_nothing_is_a_database_not_made_yet(path: Path) -> None:
    path.write_bytes(b"")
    database = Database(path, SCHEMA)
    assert names(database) == []
    write(database, "a")
    assert names(database) == ["a"]


def test_a_block_that_raises_changes_nothing(path: Path) -> None:
    database = Database(path, SCHEMA)
    write(database, "a")
    with pytest.raises(ZeroDivisionError):
        fail_after_writing(database)
    assert names(database) == ["a"]
    with pytest.raises(StorageError, match="UNIQUE"):
        write(database, "a")
    write(database, "c")
    assert names(database) == ["a", "c"]


def test_keys_are_asked_for_in_batches(path: Path) -> None:
    database = Database(path, SCHEMA)
    wanted = [f"n{number:04}" for number in range(1_201)]
    with database.writing() as connection:
        connection.executemany("INSERT INTO notes VALUES (?, 'x')", [(name,) for name in wanted])
    query = "SELECT name FROM notes WHERE text = ? AND name IN ({keys})"
    assert sorted(name for (name,) in database.rows_among(query, ("x",), [*wanted, "absent"])) == wanted
    assert database.rows_among(query, ("y",), wanted) == []


@pytest.mark.proves("R-DOOR-STATE")
def test_a_newer_or_foreign_database_is_refused(path: Path) -> None:
    made(path)
    with pytest.raises(Corrupt, match="version 3 and this installation knows 2"):
        names(Database(path, Schema(version=2, tables=())))
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (name TEXT)")
        connection.commit()
    before = path.read_bytes()
    for use in (names, lambda database: write(database, "a")):
        with pytest.raises(Corrupt, match="not a database of conspectus"):
            use(Database(path, SCHEMA))
    assert path.read_bytes() == before


@pytest.mark.proves("R-DOOR-STATE")
@pytest.mark.parametrize("damage", ["text", "cut", "zeros", "head", "page"])
def test_a_damaged_database_is_refused_and_never_overwritten(path: Path, damage: str) -> None:
    made(path)
    whole = path.read_bytes()
    path.write_bytes(
        {
            "text": b"this is no database at all, but a long enough text about one" * 20,
            "cut": whole[:4_096],
            "zeros": bytes(len(whole)),
            "head": b"\0" * 16 + whole[16:],
            "page": whole[:4_096] + b"\xff" * 64 + whole[4_160:],
        }[damage]
    )
    before = path.read_bytes()
    for use in (names, lambda database: write(database, "a")):
        with pytest.raises(Corrupt):
            use(Database(path, SCHEMA))
    assert path.read_bytes() == before


def test_a_full_database_is_told_and_keeps_what_it_has(path: Path) -> None:
    database = Database(path, SCHEMA)
    write(database, "a")
    database.rows("PRAGMA max_page_count = 8")
    with pytest.raises(StorageFull, match="no room"):
        write(database, "b", "x" * 100_000)
    assert names(database) == ["a"]


def test_a_lock_that_is_a_link_is_refused(path: Path) -> None:
    (path.parent / "target").write_bytes(b"precious")
    path.with_name("some.db.lock").symlink_to("target")
    with pytest.raises(StorageError):
        write(Database(path, SCHEMA), "a")
    assert (path.parent / "target").read_bytes() == b"precious"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file"):
        write(Database(tmp_path / "absent" / "some.db", SCHEMA), "a")


def test_the_write_ahead_log_is_not_used(path: Path) -> None:
    made(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    database = Database(path, SCHEMA)
    write(database, "second")
    assert database.rows("PRAGMA journal_mode") == [("delete",)]
    assert database.rows("PRAGMA synchronous") == [(2,)]
    assert names(database) == ["first", "second"]


def test_threads_share_one_database(path: Path) -> None:
    database = Database(path, SCHEMA)
    threads = [
        threading.Thread(target=lambda n=number: [write(database, f"{n}-{i}") for i in range(5)]) for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(database)) == 20


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_to_open_its_own(path: Path) -> None:
    database = Database(path, SCHEMA)
    write(database, "a")
    answers = multiprocessing.get_context("fork").Queue()

    def use() -> None:
        try:
            names(database)
        except StorageError as error:
            answers.put(str(error))
        answers.put(names(Database(path, SCHEMA)))

    child = multiprocessing.get_context("fork").Process(target=use)
    child.start()
    assert "opened in another process" in answers.get(timeout=20)
    assert answers.get(timeout=20) == ["a"]
    child.join()
    assert names(database) == ["a"]


def test_closing_twice_and_going_on_is_fine(path: Path) -> None:
    database = Database(path, SCHEMA)
    write(database, "a")
    database.close()
    database.close()
    assert names(database) == ["a"]
