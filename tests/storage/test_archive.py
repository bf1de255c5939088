"""The archive in SQLite conforms, forgets for good, and never hands out what it was not given."""

import os
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.canonical import digest
from conspectus.core.ports import Archive
from conspectus.errors import BlobMissing, Corrupt, UnknownRevision
from conspectus.storage.archive import BlobArchive, retention
from conspectus.storage.home import Home
from tests.storage.conformance import DAY, ArchiveConformance, Open
from tests.storage.strategies import NOW


class TestBlobArchive(ArchiveConformance):
    @pytest.fixture
    def opened(self, tmp_path: Path) -> Open:
        return lambda policy, now: BlobArchive(Home(tmp_path / "home"), policy, now)


@pytest.fixture
def archive(tmp_path: Path) -> BlobArchive:
    return BlobArchive(Home(tmp_path), "keep", NOW)


def test_it_is_an_archive_of_the_ports(archive: BlobArchive) -> None:
    port: Archive = archive
    assert port.put("t", [b"x"]) == (digest(b"x"),)


def test_reading_makes_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    archive = BlobArchive(home, "keep", NOW)
    with pytest.raises(BlobMissing):
        archive.fetch("t", digest(b"x"), "s")
    assert not archive.forget("t", digest(b"x"))
    assert archive.forget_ended() == 0
    assert not home.path.exists()


@given(blobs=st.lists(st.binary(max_size=300) | st.binary(max_size=20).map(lambda piece: piece * 999), max_size=6))
def test_any_blobs_come_back(tmp_path_factory: pytest.TempPathFactory, blobs: list[bytes]) -> None:
    archive = BlobArchive(Home(tmp_path_factory.getbasetemp() / "shared"), "keep", NOW)
    keys = archive.put("t", blobs)
    assert [archive.fetch("t", key, "s") for key in keys] == blobs
    archive.close()


@pytest.mark.proves("R-DOOR-RETENTION")
@pytest.mark.parametrize("size", [100, 5_000], ids=["plain", "packed"])
def test_what_is_forgotten_is_gone_from_the_file(tmp_path: Path, size: int) -> None:
    archive = BlobArchive(Home(tmp_path), "keep", NOW)
    canary = b"".join(digest(b"%d" % number).encode() for number in range(size // 64 + 1))
    key, other = archive.put("t", [canary, b"stays"])
    sought = canary[:64]
    assert size > 2_000 or sought in (tmp_path / "conspectus.db").read_bytes()
    assert archive.forget("t", key)
    assert not archive.forget("t", key)
    assert archive.fetch("t", other, "s") == b"stays"
    assert all(sought not in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


def test_what_has_ended_is_removed(tmp_path: Path) -> None:
    BlobArchive(Home(tmp_path), "days:1", NOW).put("t", [b"one", b"two"])
    BlobArchive(Home(tmp_path), "keep", NOW).put("t", [b"three"])
    assert BlobArchive(Home(tmp_path), "keep", NOW + DAY).forget_ended() == 2
    BlobArchive(Home(tmp_path), "days:1", NOW).put("t", [b"four"])
    BlobArchive(Home(tmp_path), "keep", NOW + DAY).put("t", [b"five"])
    with closing(sqlite3.connect(tmp_path / "conspectus.db")) as connection:
        assert connection.execute("SELECT body FROM blobs ORDER BY body").fetchall() == [(b"five",), (b"three",)]


@pytest.mark.parametrize("blob", [b"short", b"long " * 1_000])
def test_changed_bytes_are_never_handed_out(tmp_path: Path, blob: bytes) -> None:
    archive = BlobArchive(Home(tmp_path), "keep", NOW)
    (key,) = archive.put("t", [blob])
    for change in ("body = CAST(substr(body, 2) AS BLOB)", "packed = 1 - packed", "body = 'text'"):
        with closing(sqlite3.connect(tmp_path / "conspectus.db")) as connection:
            connection.execute("CREATE TABLE whole AS SELECT * FROM blobs")
            connection.execute(f"UPDATE blobs SET {change}")
            connection.commit()
            with pytest.raises(Corrupt):
                archive.fetch("t", key, "s")
            connection.execute("DELETE FROM blobs")
            connection.execute("INSERT INTO blobs SELECT * FROM whole")
            connection.execute("DROP TABLE whole")
            connection.commit()
        assert archive.fetch("t", key, "s") == blob


def test_repetitive_content_is_kept_small(archive: BlobArchive, tmp_path: Path) -> None:
    archive.put("t", [b"the same line again\n" * 10_000])
    assert (tmp_path / "conspectus.db").stat().st_size < 40_000


def test_the_same_content_is_kept_once(archive: BlobArchive, tmp_path: Path) -> None:
    blob = os.urandom(50_000)
    archive.put("t", [blob, blob])
    size = (tmp_path / "conspectus.db").stat().st_size
    archive.put("t", [blob])
    assert (tmp_path / "conspectus.db").stat().st_size == size < 90_000


@pytest.mark.parametrize(
    ("policy", "kept_for"), [("keep", None), ("days:1", timedelta(days=1)), ("days:36500", timedelta(days=36_500))]
)
def test_retention_policies(policy: str, kept_for: timedelta | None) -> None:
    assert retention(policy) == kept_for


@pytest.mark.parametrize(
    "policy", ["", "days", "days:", "days:0", "days:-1", "days:36501", "days:²", "days:" + "9" * 9_999]
)
def test_unknown_retention_policies(policy: str) -> None:
    with pytest.raises(UnknownRevision, match="retention policy"):
        retention(policy)


def test_the_far_future_has_no_end(tmp_path: Path) -> None:
    last = datetime.max.replace(tzinfo=NOW.tzinfo)
    archive = BlobArchive(Home(tmp_path), "days:36500", last)
    (key,) = archive.put("t", [b"x"])
    assert archive.fetch("t", key, "s") == b"x"
