"""What every archive has to do, whatever it is built on; a test module derives a class and says how one is opened."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from conspectus.core.canonical import digest
from conspectus.errors import BlobMissing
from conspectus.storage.archive import ExpiringArchive
from tests.storage.strategies import NOW

Open = Callable[[str, datetime], ExpiringArchive]
DAY = timedelta(days=1)


class ArchiveConformance:
    """Derived classes define a fixture `opened`: a function from retention policy and moment to the same archive."""

    @pytest.mark.parametrize(
        "blob",
        [b"", b"\x00", "证据 🙂".encode(), b"a" * 100_000, bytes(range(256)) * 40],
        ids=["empty", "nul", "unicode", "long", "bytes"],
    )
    def test_what_is_put_is_fetched(self, opened: Open, blob: bytes) -> None:
        (key,) = opened("keep", NOW).put("t", [blob])
        assert key == digest(blob)
        assert opened("keep", NOW).fetch("t", key, "s") == blob

    def test_digests_come_in_the_order_of_the_blobs(self, opened: Open) -> None:
        blobs = [b"b", b"a", b"b", b"c"]
        assert opened("keep", NOW).put("t", blobs) == tuple(map(digest, blobs))
        assert opened("keep", NOW).put("t", []) == ()

    def test_many_are_fetched_at_once(self, opened: Open) -> None:
        blobs = [b"%d" % number for number in range(1_234)]
        keys = opened("keep", NOW).put("t", blobs)
        found = opened("keep", NOW).fetch_many("t", dict.fromkeys(keys, "s"))
        assert [found[key] for key in keys] == blobs
        assert opened("keep", NOW).fetch_many("t", {}) == {}

    def test_another_tenant_has_nothing(self, opened: Open) -> None:
        (key,) = opened("keep", NOW).put("one", [b"secret"])
        with pytest.raises(BlobMissing) as missing:
            opened("keep", NOW).fetch("two", key, "file:a")
        assert (missing.value.digest, missing.value.source) == (key, "file:a")

    @pytest.mark.parametrize("key", ["", "zz", "ab" * 31, "ab" * 32, "é" * 64])
    def test_what_was_never_kept_is_missing(self, opened: Open, key: str) -> None:
        with pytest.raises(BlobMissing):
            opened("keep", NOW).fetch("t", key, "s")
        opened("keep", NOW).put("t", [b"something"])
        with pytest.raises(BlobMissing):
            opened("keep", NOW).fetch("t", key, "s")

    def test_the_first_that_is_gone_is_named(self, opened: Open) -> None:
        (key,) = opened("keep", NOW).put("t", [b"here"])
        with pytest.raises(BlobMissing) as missing:
            opened("keep", NOW).fetch_many("t", {key: "a", digest(b"x"): "b", digest(b"y"): "c"})
        assert missing.value.source == "b"

    @pytest.mark.proves("R-DOOR-RETENTION")
    def test_retention_ends_at_its_moment(self, opened: Open) -> None:
        (key,) = opened("days:2", NOW).put("t", [b"x"])
        assert opened("keep", NOW + 2 * DAY - timedelta(microseconds=1)).fetch("t", key, "s") == b"x"
        with pytest.raises(BlobMissing):
            opened("keep", NOW + 2 * DAY).fetch("t", key, "s")

    @pytest.mark.proves("R-DOOR-RETENTION")
    def test_an_end_of_its_own_comes_first(self, opened: Open) -> None:
        blobs = [b"a", b"b"]
        a, b = opened("days:3", NOW).put("t", blobs, ends=[NOW + DAY, None])
        later = opened("keep", NOW + 2 * DAY)
        assert later.fetch("t", b, "s") == b"b"
        with pytest.raises(BlobMissing):
            later.fetch("t", a, "s")

    def test_the_later_end_counts(self, opened: Open) -> None:
        (key,) = opened("days:1", NOW).put("t", [b"x"])
        opened("days:5", NOW).put("t", [b"x"])
        opened("days:2", NOW).put("t", [b"x", b"x"], ends=[NOW + DAY, None])
        assert opened("keep", NOW + 4 * DAY).fetch("t", key, "s") == b"x"
        opened("keep", NOW).put("t", [b"x"])
        assert opened("keep", NOW + 4_000 * DAY).fetch("t", key, "s") == b"x"

    def test_what_has_ended_can_be_kept_again(self, opened: Open) -> None:
        (key,) = opened("days:1", NOW).put("t", [b"x"])
        later = opened("days:1", NOW + 3 * DAY)
        later.put("t", [b"x"])
        assert later.fetch("t", key, "s") == b"x"
