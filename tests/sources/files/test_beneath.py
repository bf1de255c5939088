"""Nothing outside a folder is ever read through it: by dots, links, magic links, hard links, devices or exchanges."""

import ctypes
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus.errors import InputError
from conspectus.storage import beneath
from conspectus.storage.beneath import Content, Folder, Refusal, Shape

CANARY = b"canary-7f3a9c"
OUTSIDE = {Refusal.PATH_ESCAPE, Refusal.LINK}


@pytest.fixture(params=["kernel", "stepwise"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace beside a folder that holds the canary, looked into with the kernel's help and without."""
    if request.param == "stepwise":
        monkeypatch.setattr(beneath, "_kernel_confines", lambda: False)
    elif not beneath._kernel_confines():
        pytest.skip("this kernel has no openat2")
    inside, outside = tmp_path / "W", tmp_path / "W-evil"
    (inside / "sub").mkdir(parents=True)
    outside.mkdir()
    (inside / "a.txt").write_bytes(b"inside")
    (inside / "sub" / "b.txt").write_bytes(b"deeper")
    (outside / "s").write_bytes(CANARY)
    return inside


@pytest.fixture
def folder(root: Path) -> Iterator[Folder]:
    with Folder(root) as opened:
        yield opened


def read(folder: Folder, path: bytes, **options: bool) -> bytes | Refusal:
    content = folder.read(path, limit=1_000, **options)
    return content.data if isinstance(content, Content) else content


def test_what_is_inside_is_read(folder: Folder) -> None:
    assert read(folder, b"a.txt") == b"inside"
    assert read(folder, b"./sub//b.txt") == b"deeper"


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
def test_dots_lead_nowhere_else(folder: Folder) -> None:  # B01
    assert read(folder, b"../W-evil/s") is Refusal.PATH_ESCAPE
    assert read(folder, b"sub/../../W-evil/s") is Refusal.PATH_ESCAPE


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
def test_an_absolute_path_is_no_path_beneath(root: Path, folder: Folder) -> None:  # B02
    sibling = os.fsencode(root.parent / "W-evil" / "s")
    assert read(folder, sibling) is Refusal.PATH_ESCAPE
    assert read(folder, os.fsencode(root / "a.txt")) is Refusal.PATH_ESCAPE


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
@pytest.mark.parametrize("follow", [True, False])
def test_links_lead_nowhere_else(root: Path, folder: Folder, follow: bool) -> None:  # B03 B04 B05 B06
    evil = root.parent / "W-evil"
    (root / "lnk").symlink_to(evil / "s")
    (root / "relative").symlink_to("../W-evil/s")
    (root / "dirlnk").symlink_to(evil)
    (root / "chain").symlink_to("lnk")
    (root / "dangling").symlink_to(evil / "new")
    for path in (b"lnk", b"relative", b"dirlnk/s", b"chain", b"dangling"):
        assert read(folder, path, follow=follow) in OUTSIDE
        assert folder.look(path) in OUTSIDE
    assert not (evil / "new").exists()


def test_a_chain_of_links_longer_than_a_path_may_be_is_refused(root: Path, folder: Folder) -> None:  # B08
    long = "d" * 200
    deep = root
    for _ in range(10):
        deep /= long
        deep.mkdir()
    name = "l0"
    (root / name).symlink_to("/".join([long] * 10))
    for number in range(1, 12):
        following = f"l{number}"
        (root / following).symlink_to(f"{name}/{'../' * 10}{name}/{'../' * 10}{name}")
        name = following
    up = "../" * 24
    assert read(folder, f"{name}/{up}W-evil/s".encode()) in {*OUTSIDE, Refusal.BAD_PATH, Refusal.ABSENT}
    assert read(folder, f"l1/{up}W-evil/s".encode()) in {*OUTSIDE, Refusal.BAD_PATH, Refusal.ABSENT}


def test_what_the_system_says_of_the_process_stays_unread(root: Path, folder: Folder) -> None:  # B09 B10
    (root / "environ").symlink_to("/proc/self/environ")
    (root / "magic").symlink_to("/proc/self/root/etc/hostname")
    for path in (b"/proc/self/environ", b"environ", b"magic"):
        assert read(folder, path) in OUTSIDE


@pytest.mark.skipif(sys.platform != "linux", reason="magic links are Linux's")
def test_a_magic_link_beneath_the_folder_is_refused() -> None:
    with Folder(Path("/proc/self")) as process:
        assert read(process, b"root/etc/hostname") in OUTSIDE
        assert read(process, b"cwd/README.md") in OUTSIDE


def test_a_hard_link_is_refused_unless_allowed(root: Path, folder: Folder) -> None:  # B11
    (root / "hard").hardlink_to(root.parent / "W-evil" / "s")
    assert read(folder, b"hard") is Refusal.HARD_LINK
    assert read(folder, b"hard", hard_links=True) == CANARY


def test_only_regular_files_are_read_and_nothing_waits(
    root: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:  # B12 B13
    os.mkfifo(root / "pipe")
    (root / "zero").symlink_to("/dev/zero")
    served = socket.socket(socket.AF_UNIX)
    monkeypatch.chdir(root)  # a socket's path has a length limit of its own
    served.bind("sock")
    started = time.monotonic()
    assert read(folder, b"pipe") is Refusal.NOT_REGULAR
    assert read(folder, b"sock") is Refusal.NOT_REGULAR
    assert read(folder, b"sub") is Refusal.NOT_REGULAR
    assert read(folder, b"zero") in OUTSIDE
    assert time.monotonic() - started < 0.1
    served.close()


@pytest.mark.parametrize("path", [b"", b"a\0b", b"a.txt\0", b"x" * 5_000, b"x/" * 2_500, b"x" * 300])
def test_what_is_no_path_is_refused(folder: Folder, path: bytes) -> None:  # B14
    assert read(folder, path) is Refusal.BAD_PATH
    assert folder.look(path) is Refusal.BAD_PATH
    assert folder.entries(path) is Refusal.BAD_PATH


def test_names_that_are_not_there(folder: Folder) -> None:
    assert read(folder, b"nothing") is Refusal.ABSENT
    assert read(folder, b"a.txt/more") is Refusal.ABSENT
    assert folder.entries(b"a.txt") is Refusal.NOT_A_FOLDER


def test_entries_come_in_the_order_of_bytes_and_through_no_link(root: Path, folder: Folder) -> None:
    for name in (b"\xff", "é".encode(), b"Z", b"a-b", b"a\nb"):
        (root / os.fsdecode(name)).touch()
    (root / "lnk").symlink_to("sub")
    listed = folder.entries()
    assert not isinstance(listed, Refusal)
    names = [entry.name for entry in listed]
    assert names == sorted(names)
    assert {entry.name: entry.shape for entry in listed if entry.shape is not Shape.FILE} == {
        b"lnk": Shape.LINK,
        b"sub": Shape.FOLDER,
    }
    assert folder.entries(b"lnk") is Refusal.LINK


def test_a_large_file_costs_no_more_than_its_opening(root: Path, folder: Folder) -> None:  # B17 B18
    with (root / "huge").open("wb") as huge:
        huge.truncate(1 << 30)
    started = time.process_time()
    content = folder.read(b"huge", limit=1_000)
    assert isinstance(content, Content)
    assert (content.data, content.complete, content.status.st_size) == (b"", False, 1 << 30)
    assert time.process_time() - started < 0.1


@pytest.mark.skipif(sys.platform != "linux", reason="files without a size are Linux's")
def test_a_file_longer_than_its_size_says_is_read_up_to_the_limit() -> None:
    with Folder(Path("/proc/self")) as process:
        whole = process.read(b"status", limit=1 << 20)
        assert isinstance(whole, Content)
        assert whole.status.st_size == 0
        assert whole.data.startswith(b"Name:")
        part = process.read(b"status", limit=10)
        assert isinstance(part, Content)
        assert not part.complete


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_may_not_be_read_is_denied(root: Path) -> None:
    secret = root / "secret"
    secret.write_bytes(CANARY)
    secret.chmod(0o600)
    root.chmod(0o755)
    with Folder(root) as folder:
        os.seteuid(65_534)
        try:
            assert read(folder, b"secret") is Refusal.DENIED
        finally:
            os.seteuid(0)


def test_a_root_that_is_no_folder_is_named(root: Path) -> None:
    for path in (root / "nothing", root / "a.txt"):
        with pytest.raises(InputError, match=r"give a folder that exists") as refused:
            Folder(path)
        assert refused.value.path == str(path)


def test_a_closed_folder_stays_closed(root: Path) -> None:
    folder = Folder(root)
    folder.close()
    folder.close()
    assert read(folder, b"a.txt") is Refusal.FAILED


FLIP = """
import ctypes, os, sys
library = ctypes.CDLL(None, use_errno=True)
here, pairs = os.open(sys.argv[1], os.O_RDONLY), [(b"dir", b"dirswap"), (b"leaf", b"leafswap")]
print("ready", flush=True)
while True:
    for one, other in pairs:
        if library.renameat2(here, one, here, other, 2):
            sys.exit(ctypes.get_errno())
"""


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "renameat2"), reason="this C library cannot exchange two names")
def test_exchanging_a_folder_for_a_link_while_it_is_read_leaks_nothing(root: Path, folder: Folder) -> None:  # B07
    evil = root.parent / "W-evil"
    (root / "dir").mkdir()
    (root / "dir" / "s").write_bytes(b"inside")
    (root / "dirswap").symlink_to(evil)
    (root / "leaf").write_bytes(b"inside")
    (root / "leafswap").symlink_to(evil / "s")
    seen: dict[bytes | Refusal, int] = {}
    with subprocess.Popen([sys.executable, "-c", FLIP, root], stdout=subprocess.PIPE) as flipper:
        try:
            assert flipper.stdout is not None
            assert flipper.stdout.readline() == b"ready\n"
            end = time.monotonic() + 1.2
            while time.monotonic() < end:
                for path in (b"dir/s", b"leaf"):
                    for follow in (True, False):
                        outcome = read(folder, path, follow=follow)
                        seen[outcome] = seen.get(outcome, 0) + 1
            assert flipper.poll() is None
        finally:
            flipper.kill()
    assert CANARY not in seen
    assert seen[b"inside"] > 100
    assert sum(seen[refusal] for refusal in OUTSIDE if refusal in seen) > 100
