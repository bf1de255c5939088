"""Nothing outside a folder is offered through it, whatever it holds, and nothing in it makes the reading wait."""

import ctypes
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conspectus.core.manifest import Gathered, Reason
from conspectus.errors import InputError
from conspectus.sources.files.names import path_of
from conspectus.sources.files.source import FilePolicy, FileSource
from tests.sources.files.folders import contents, fill, gather, reasons

CANARY = "canary-51fe77"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace whose name is the beginning of its neighbour's, which holds the canary."""
    fill(tmp_path, {"W/a.txt": "inside", "W/sub/b.txt": "deeper", "W-evil/s": CANARY, "W-evil/deep/s": CANARY})
    return tmp_path / "W"


def leaks(gathered: Gathered) -> bool:
    return CANARY in repr(gathered)


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
def test_links_are_no_way_out_and_each_is_on_record(root: Path) -> None:  # B03 B04 B05 B09 B10 B16
    evil = root.parent / "W-evil"
    links = {
        "file-out": evil / "s",
        "folder-out": evil,
        "relative": "../W-evil/s",
        "chain": "relative",
        "absolute-in": root / "a.txt",
        "dangling": "nowhere",
        "loop": "loop",
        "environ": "/proc/self/environ",
        "magic": "/proc/self/root/etc/hostname",
        "zero": "/dev/zero",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    (root / "sub" / "inner").symlink_to("../a.txt")
    (root / "again").symlink_to("sub")
    gathered = gather(FileSource(root))
    assert not leaks(gathered)
    assert [name for name in contents(gathered) if name != "file/#outline"] == [
        "file/a.txt#L1-1",
        "file/sub/b.txt#L1-1",
    ]
    told = reasons(gathered)
    assert {told[f"file/{name}"][0] for name in links} == {Reason.UNREADABLE}
    assert told["file/sub/inner"] == (Reason.DUPLICATE, "link")
    assert told["file/again"] == (Reason.IGNORED, "link to what has its own name or is not offered")


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
def test_a_rule_file_that_is_a_link_out_is_not_obeyed_and_hides_its_folder(root: Path) -> None:
    (root.parent / "W-evil" / "rules").write_text("!*\n")
    (root / "sub" / ".gitignore").symlink_to("../../W-evil/rules")
    gathered = gather(FileSource(root))
    assert reasons(gathered)["file/sub/"] == (Reason.UNREADABLE, ".gitignore: path_escape")


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
def test_hard_links_are_refused_unless_allowed(root: Path) -> None:  # B11
    (root / "hard").hardlink_to(root.parent / "W-evil" / "s")
    gathered = gather(FileSource(root))
    assert not leaks(gathered)
    assert reasons(gathered)["file/hard"] == (Reason.UNREADABLE, "hard_link")
    assert leaks(gather(FileSource(root, policy=FilePolicy(hard_links=True))))


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
def test_pipes_and_sockets_are_told_and_nothing_waits(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # B12 B13
    os.mkfifo(root / "pipe")
    os.mkfifo(root / "sub" / "pipe.py")
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as served:
        served.bind("sock")
        started = time.monotonic()
        gathered = gather(FileSource(root))
        assert time.monotonic() - started < 0.5
    for name in ("pipe", "sub/pipe.py", "sock"):
        assert reasons(gathered)[f"file/{name}"] == (Reason.UNREADABLE, "not_regular")


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("../W-evil/s", "path_escape"),
        ("sub/../../W-evil/s", "path_escape"),
        ("{evil}/s", "path_escape"),
        ("out", "path_escape"),
        ("folder-out/s", "path_escape"),
        ("environ", "path_escape"),
        ("hard", "hard_link"),
        ("pipe", "not_regular"),
        ("sub", "not_regular"),
        ("..", "path_escape"),
        ("", "bad_path"),
        ("a\0b", "bad_path"),
        ("x" * 5_000, "bad_path"),
        ("x" * 300, "bad_path"),
        ("absent", "absent"),
        ("a.txt/more", "absent"),
        ("\x1b[31m\n", "absent"),
    ],
)
def test_no_path_kept_whole_leads_out_or_waits(path: str, words: str, root: Path) -> None:  # B01 B02 B12 B14
    evil = root.parent / "W-evil"
    (root / "out").symlink_to(evil / "s")
    (root / "folder-out").symlink_to(evil)
    (root / "environ").symlink_to("/proc/self/environ")
    (root / "hard").hardlink_to(evil / "s")
    os.mkfifo(root / "pipe")
    with pytest.raises(InputError, match="cannot be kept whole") as refused:
        gather(FileSource(root, whole=[path.format(evil=evil)]))
    assert words in str(refused.value)
    assert CANARY not in str(refused.value)
    assert refused.value.field == "whole"
    assert "\x1b" not in refused.value.path
    assert "\n" not in refused.value.path


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
def test_names_that_steer_a_terminal_are_shown_escaped_and_read_back(root: Path) -> None:  # B15 B21
    names = [b"a\nb.txt", b"\x1b[31mred", b"-rf", b"\xff\xfe.txt", b"100%#1", "\u202etxt.exe".encode()]
    for name in names:
        (root / os.fsdecode(name)).write_text(repr(name))
    items = [item for item in gather(FileSource(root)).items if item.item_id != "file/#outline"]
    assert {path_of(item.item_id): item.content for item in items} == {
        **{name: repr(name) for name in names},
        b"a.txt": "inside",
        b"sub/b.txt": "deeper",
    }
    assert all(item.item_id.isprintable() and item.source_uri.isprintable() for item in items)
    (tree,) = (item.content for item in gather(FileSource(root)).items if item.item_id == "file/#outline")
    assert len(tree.splitlines()) == 9
    assert "\x1b" not in tree


@pytest.mark.proves("R-SOURCE-FILES-WHOLE")
def test_a_document_kept_whole_is_one_mandatory_item_ignored_or_not(root: Path) -> None:
    contract = "条款一\r\n" * 2_000
    fill(root, {".gitignore": "contract.md\n", "contract.md": contract, ".env": "KEY=1"})
    (root / "alias").symlink_to("contract.md")
    for path in ("contract.md", "./sub/../contract.md", "alias"):
        gathered = gather(FileSource(root, whole=[path]))
        (item,) = (item for item in gathered.items if item.mandatory)
        assert item.content == contract
        assert not item.dependencies
        assert item.item_id in {"file/contract.md", "file/alias"}
    assert [item.content for item in gather(FileSource(root, whole=[".env"])).items if item.mandatory] == ["KEY=1"]


@pytest.mark.proves("R-SOURCE-FILES-WHOLE")
def test_a_document_kept_whole_is_offered_once(root: Path) -> None:
    gathered = gather(FileSource(root, whole=["a.txt", "./a.txt"]))
    assert [item.item_id for item in gathered.items if "a.txt" in item.item_id] == ["file/a.txt"]


@pytest.mark.proves("R-SOURCE-FILES-WHOLE")
@pytest.mark.parametrize(("content", "words"), [(b"x" * 101, "too_large"), (b"a\0", "binary"), (b"\xff", "malformed")])
def test_a_document_that_cannot_be_whole_is_a_typed_failure(content: bytes, words: str, root: Path) -> None:
    fill(root, {"doc": content})
    with pytest.raises(InputError, match=words):
        gather(FileSource(root, whole=["doc"], policy=FilePolicy(max_bytes=100)))


FLIP = """
import ctypes, os, sys
library = ctypes.CDLL(None, use_errno=True)
here = os.open(sys.argv[1], os.O_RDONLY)
pairs = [(b"dir", b"dirswap"), (b"leaf", b"leafswap"), (b"sub/mid", b"sub/midswap")]
print("ready", flush=True)
while True:
    for one, other in pairs:
        if library.renameat2(here, one, here, other, 2):
            sys.exit(ctypes.get_errno())
"""


@pytest.mark.proves("R-SOURCE-FILES-ROOT")
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "renameat2"), reason="this C library cannot exchange two names")
def test_three_seconds_of_exchanges_leak_nothing(root: Path) -> None:  # B07
    evil = root.parent / "W-evil"
    fill(root, {"dir/s": "inside", "leaf": "inside", "sub/mid/deep/s": "inside"})
    (root / "dirswap").symlink_to(evil)
    (root / "leafswap").symlink_to(evil / "s")
    (root / "sub" / "midswap").symlink_to("../../W-evil")
    reads = refusals = 0
    with subprocess.Popen([sys.executable, "-c", FLIP, root], stdout=subprocess.PIPE) as flipper:
        try:
            assert flipper.stdout is not None
            assert flipper.stdout.readline() == b"ready\n"
            end = time.monotonic() + 3
            while time.monotonic() < end:
                gathered = gather(FileSource(root))
                assert not leaks(gathered)
                reads += sum(item.content == "inside" for item in gathered.items)
                refusals += sum(reason is Reason.UNREADABLE for reason, _ in reasons(gathered).values())
                try:
                    assert not leaks(gather(FileSource(root, whole=["leaf", "dir/s"])))
                except InputError as refused:
                    assert CANARY not in str(refused)  # noqa: PT017 - either outcome is right, a leak is not
            assert flipper.poll() is None
        finally:
            flipper.kill()
    assert reads > 100
    assert refusals > 100
