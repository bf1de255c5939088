"""Files are whole, and what is in the way of one is told and left alone."""

import fcntl
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.errors import Corrupt, InputError, StorageError
from conspectus.storage.atomic import read_whole, sweep, write_out, write_whole


@given(values=st.lists(st.binary(max_size=3_000), min_size=1, max_size=4))
def test_the_last_value_is_read(tmp_path_factory: pytest.TempPathFactory, values: list[bytes]) -> None:
    path = tmp_path_factory.getbasetemp() / "value"
    for value in values:
        write_whole(path, value)
    assert read_whole(path) == values[-1]
    assert not list(path.parent.glob(".*.tmp"))


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    write_whole(tmp_path / "value", b"x")
    assert (tmp_path / "value").stat().st_mode & 0o777 == 0o600


def test_names_may_be_long_and_in_any_script(tmp_path: Path) -> None:
    for name in ("证" * 80, "🙂" * 60, "n" * 250):
        write_whole(tmp_path / name, b"x")
        assert read_whole(tmp_path / name) == b"x"


def test_a_link_is_not_followed_by_what_the_state_writes(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"precious")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "dangling").symlink_to("nothing")
    for name in ("link", "dangling"):
        with pytest.raises(Corrupt, match="no regular file"):
            write_whole(tmp_path / name, b"x")
    assert (tmp_path / "target").read_bytes() == b"precious"


def test_devices_pipes_and_folders_are_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "null").symlink_to("/dev/null")
    for name in ("pipe", "folder", "null"):
        with pytest.raises(Corrupt):
            write_whole(tmp_path / name, b"x")


def test_an_output_goes_where_a_person_says(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    write_out(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"
    write_out(tmp_path / "fresh", b"x")
    assert (tmp_path / "fresh").read_bytes() == b"x"
    write_out(Path("/dev/null"), b"x")
    assert Path("/dev/null").is_char_device()


def test_an_output_into_a_pipe_reaches_its_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    seen: list[bytes] = []
    reader = threading.Thread(target=lambda: seen.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_out(tmp_path / "pipe", b"x" * 200_000)
    reader.join()
    assert seen == [b"x" * 200_000]


@pytest.mark.parametrize("name", ["absent/value", "file/value"])
def test_a_folder_that_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    for write in (write_whole, write_out):
        with pytest.raises(StorageError, match="value"):
            write(tmp_path / name, b"x")


def test_a_full_device_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No space left"):
        write_out(Path("/dev/full"), b"x")


@pytest.mark.proves("R-BAD-UNREADABLE", "R-BAD-VANISHED")
def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "large").write_bytes(b"x" * 101)
    for name in ("absent", "loop", "large", "nul\0", "n" * 300, "."):
        with pytest.raises(InputError):
            read_whole(tmp_path / name, limit=100)
    with pytest.raises(InputError, match="larger than 100 bytes"):
        read_whole(Path("/dev/zero"), limit=100)
    (tmp_path / "large").write_bytes(b"x" * 100)
    assert read_whole(tmp_path / "large", limit=100) == b"x" * 100


def test_a_pipe_nobody_writes_is_empty_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_whole(tmp_path / "pipe") == b""


def test_a_slow_pipe_is_read_to_its_end() -> None:
    reading, writing = os.pipe()
    writer = threading.Thread(
        target=lambda: (os.write(writing, b"a" * 50_000), os.write(writing, b"b"), os.close(writing))
    )
    writer.start()
    assert read_whole(Path(f"/dev/fd/{reading}")) == b"a" * 50_000 + b"b"
    writer.join()
    os.close(reading)


def test_only_what_the_dead_left_is_swept(tmp_path: Path) -> None:
    for name in (".value.1.0.tmp", ".value.2.0.tmp", "value.tmp", ".value"):
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / ".link.tmp").symlink_to("value.tmp")
    with (tmp_path / ".value.2.0.tmp").open("rb") as living:
        fcntl.flock(living, fcntl.LOCK_EX)
        assert sweep(tmp_path) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [".link.tmp", ".value", ".value.2.0.tmp", "value.tmp"]


def test_writers_and_sweepers_do_not_disturb_each_other(tmp_path: Path) -> None:
    stop = threading.Event()
    failures: list[BaseException] = []

    def sweeping() -> None:
        while not stop.is_set():
            sweep(tmp_path)

    def writing(name: str) -> None:
        try:
            for number in range(60):
                write_whole(tmp_path / name, b"%d" % number)
        except StorageError as error:
            failures.append(error)

    sweeper = threading.Thread(target=sweeping)
    writers = [threading.Thread(target=writing, args=(name,)) for name in ("a", "a", "b")]
    for thread in (sweeper, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    sweeper.join()
    assert failures == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"59", "b": b"59"}
