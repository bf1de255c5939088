"""A cache gives back what it was given or nothing, and whatever happens to it, work goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.storage.cache import KeyValueCache
from conspectus.storage.home import Home

PAIRS = st.dictionaries(st.binary(max_size=20), st.binary(max_size=30), max_size=8)


@pytest.mark.proves("R-COUNT-CACHE")
@given(first=PAIRS, second=PAIRS, scope=st.text("ab", max_size=2))
def test_what_was_saved_last_is_loaded(
    tmp_path_factory: pytest.TempPathFactory, first: dict[bytes, bytes], second: dict[bytes, bytes], scope: str
) -> None:
    cache = KeyValueCache(Home(tmp_path_factory.mktemp("home")))
    cache.save(scope, first.items())
    cache.save(scope, second.items())
    keys = [*first, *second, b"another key that is in neither"]
    assert cache.load(scope, keys) == [(first | second).get(key) for key in keys]
    assert cache.load(f"{scope}!", keys) == [None] * len(keys)
    assert cache.reports == ()
    cache.close()


def test_another_process_reads_it_and_looking_makes_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert KeyValueCache(home).load("s", [b"a"]) == [None]
    KeyValueCache(home).save("s", [])
    assert not home.path.exists()
    KeyValueCache(home).save("s", [(b"a", b"1")])
    assert KeyValueCache(home).load("s", [b"b", b"a", b"a"]) == [None, b"1", b"1"]


def test_a_changed_value_is_not_used(tmp_path: Path) -> None:
    home = Home(tmp_path)
    cache = KeyValueCache(home)
    cache.save("s", [(b"a", b"\x05"), (b"b", b"\x06")])
    with closing(sqlite3.connect(home.cache)) as connection:
        (row,) = connection.execute("SELECT key FROM entries WHERE substr(value, 5) = x'05'").fetchall()
        connection.execute("UPDATE entries SET value = CAST(substr(value, 1, 4) || x'07' AS BLOB) WHERE key = ?", row)
        connection.commit()
    assert cache.load("s", [b"a", b"b"]) == [None, b"\x06"]
    assert cache.reports == (f"{home.cache}: 1 damaged values were not used",)


@pytest.mark.parametrize("damage", ["text", "cut", "foreign", "folder"])
def test_a_damaged_cache_is_begun_anew_and_told(tmp_path: Path, damage: str) -> None:
    home = Home(tmp_path)
    KeyValueCache(home).save("s", [(b"%d" % number, b"x" * 50) for number in range(300)])
    if damage == "text":
        home.cache.write_bytes(b"no database, but a text that is long enough to be taken for one" * 100)
    elif damage == "cut":
        home.cache.write_bytes(home.cache.read_bytes()[:8_192])
    elif damage == "foreign":
        home.cache.unlink()
        with closing(sqlite3.connect(home.cache)) as connection:
            connection.execute("CREATE TABLE entries (key, value)")
            connection.commit()
    cache = KeyValueCache(home)
    if damage == "folder":
        home.cache.unlink()
        home.cache.mkdir()
        cache.save("s", [(b"a", b"1")])
        assert cache.load("s", [b"a"]) == [None]
        assert all("the cache was done without" in report for report in cache.reports)
        return
    assert cache.load("s", [b"1"]) == [None]
    assert cache.reports == (f"{home.cache} was damaged and is begun anew",)
    cache.save("s", [(b"a", b"1")])
    assert KeyValueCache(home).load("s", [b"a", b"1"]) == [b"1", None]


def test_it_has_a_bound(tmp_path: Path) -> None:
    home = Home(tmp_path)
    cache = KeyValueCache(home, largest=100_000)
    for number in range(60):
        cache.save("s", [(b"%d-%d" % (number, key), b"x" * 100) for key in range(50)])
        assert cache.load("s", [b"%d-0" % number]) == [b"x" * 100]
    assert home.cache.stat().st_size < 200_000
    assert cache.reports == ()
