"""A folder as items: what is offered is found again by its id, what is not has its reason, and nobody else sees it."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.core.call import Caller
from conspectus.core.item import Kind, Trust
from conspectus.core.manifest import Reason, Verdict
from conspectus.errors import InputError
from conspectus.sources.files.skeleton import OUTLINE_BYTES, outline
from conspectus.sources.files.source import FilePolicy, FileSource
from conspectus.sources.files.walk import MAX_RULE_BYTES
from tests.sources.files.folders import contents, fill, gather, reasons
from tests.sources.files.test_chunks import TEXTS


@pytest.mark.proves("R-SOURCE-FILES-IDS")
def test_an_item_says_where_when_and_which_state(tmp_path: Path) -> None:
    fill(tmp_path, {"src/数据.py": "x = 1\n"})
    os.utime(tmp_path / "src/数据.py", (1_767_229_200, 1_767_229_200))
    policy = FilePolicy(readers=frozenset({"operator"}), acl_version="7", trust=Trust.UNTRUSTED)
    (item,) = gather(FileSource(tmp_path, policy=policy)).items
    assert (item.item_id, item.content, item.kind) == ("file/src/数据.py#L1-1", "x = 1", Kind.EVIDENCE)
    assert (item.source_uri, item.source_version) == ("file:src/数据.py", sha256(b"x = 1\n").hexdigest()[:16])
    assert item.observed_at == datetime(2026, 1, 1, 1, tzinfo=UTC)
    assert (item.readers, item.acl_version, item.trust) == (frozenset({"operator"}), "7", Trust.UNTRUSTED)
    assert not item.mandatory


@pytest.mark.proves("R-SOURCE-FILES-IDS", "R-BAD-BOM", "R-BAD-CRLF")
@settings(max_examples=40)
@given(
    TEXTS.map(lambda text: text.replace("\0", "")),
    st.sampled_from(["a.py", "a.md", "a.txt", "README.md", "a.csv", "pyproject.toml"]),
    st.booleans(),
)
def test_an_id_leads_to_exactly_what_is_shown(text: str, name: str, mark: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), {name: b"\xef\xbb\xbf" * mark + text.encode()})
        gathered = gather(FileSource(Path(folder)))
    lines = text.split("\n")
    ids = [item.item_id for item in gathered.items] + [decision.subject for decision in gathered.decisions]
    assert len(set(ids)) == len(ids)
    for item in gathered.items:
        first, last = item.item_id.removeprefix(f"file/{name}#L").split("-")
        if "." in first:
            line, start = map(int, first.split("."))
            end = int(last.split(".")[1])
            span = lines[line - 1][start - 1 : end]
        else:
            span = "\n".join(lines[int(first) - 1 : int(last)])
        assert item.content in (span, span.removesuffix("\r"))
        assert all(needed in ids for needed in item.dependencies)
    shown = "".join("".join(item.content.split()) for item in gathered.items)
    assert shown == "".join(text.split())


@pytest.mark.proves("R-SOURCE-FILES-SKIP", "R-BAD-UTF8", "R-BAD-NUL", "R-BAD-HUGE")
def test_what_is_not_offered_has_a_reason(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {
            "empty": "",
            "blank": " \n\n",
            "nul": b"a\0b",
            "latin": "café".encode("latin-1") * 9,
            "noise": bytes(range(1, 256)) * 9,
            "wide": "x".encode("utf-16"),
            "big": "x" * 101,
            "fits": "x" * 100,
        },
    )
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate(1 << 30)
    started = time.process_time()
    gathered = gather(FileSource(tmp_path, policy=FilePolicy(max_bytes=100)))
    assert time.process_time() - started < 0.5
    assert list(contents(gathered)) == ["file/fits#L1-1"]
    assert reasons(gathered) == {
        "file/empty": (Reason.IGNORED, "empty"),
        "file/blank": (Reason.IGNORED, "empty"),
        "file/nul": (Reason.BINARY, "holds NUL"),
        "file/latin": (Reason.MALFORMED, "no UTF-8 at byte 3; save it as UTF-8"),
        "file/noise": (Reason.TOO_LARGE, "2,295 bytes, at most 100"),
        "file/wide": (Reason.MALFORMED, "UTF-16 or UTF-32; save it as UTF-8"),
        "file/big": (Reason.TOO_LARGE, "101 bytes, at most 100"),
        "file/huge": (Reason.TOO_LARGE, "1,073,741,824 bytes, at most 100"),
    }
    assert {decision.verdict for decision in gathered.decisions} == {Verdict.OMITTED}
    assert reasons(gather(FileSource(tmp_path)))["file/noise"] == (Reason.BINARY, "no text")


@pytest.mark.proves("R-BAD-EMPTY-LINES", "R-BAD-HUGE")
def test_a_million_lines_and_one_endless_line_take_no_time(tmp_path: Path) -> None:
    fill(tmp_path, {"a.py": "\n" * 999_990 + "x = 1\n", "b.md": "\n" * 999_990, "c.txt": "x" * 1_000_000})
    started = time.process_time()
    gathered = gather(FileSource(tmp_path))
    assert time.process_time() - started < 6.0
    assert contents(gathered)["file/a.py#L999991-999991"] == "x = 1"
    assert reasons(gathered)["file/b.md"] == (Reason.IGNORED, "empty")


@pytest.mark.proves("R-SOURCE-FILES-IGNORE")
def test_rules_are_honoured_and_what_they_hide_is_told(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {
            ".gitignore": "*.log\n/build/\n!keep.log\n",
            "a.log": "x",
            "keep.log": "kept",
            "build/out.txt": "x",
            "sub/.gitignore": "secret*\n",
            "sub/secret.txt": "x",
            "sub/open.txt": "open",
            ".git/info/exclude": "local.txt\n",
            "local.txt": "x",
            ".env": "KEY=1",
            ".env.example": "KEY=",
        },
    )
    gathered = gather(FileSource(tmp_path))
    offered = {name.partition("#")[0] for name in contents(gathered)} - {"file/"}
    assert offered == {
        "file/.gitignore",
        "file/sub/.gitignore",
        "file/keep.log",
        "file/sub/open.txt",
        "file/.env.example",
    }
    assert reasons(gathered) == {
        "file/.git/": (Reason.IGNORED, "never offered"),
        "file/.env": (Reason.IGNORED, "may hold secrets"),
        "file/a.log": (Reason.IGNORED, "by an ignore rule"),
        "file/build/": (Reason.IGNORED, "by an ignore rule"),
        "file/local.txt": (Reason.IGNORED, "by an ignore rule"),
        "file/sub/secret.txt": (Reason.IGNORED, "by an ignore rule"),
    }


@pytest.mark.proves("R-SOURCE-FILES-IGNORE")
def test_a_rule_file_that_cannot_be_read_takes_its_folder_with_it(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": "a", "sub/.gitignore": "#" * (MAX_RULE_BYTES + 1), "sub/x.txt": "hidden?"})
    gathered = gather(FileSource(tmp_path))
    assert "hidden?" not in contents(gathered).values()
    assert reasons(gathered) == {"file/sub/": (Reason.UNREADABLE, ".gitignore: more than 131,072 bytes")}


@pytest.mark.proves("R-SOURCE-FILES-SKELETON")
def test_readme_settings_and_the_outline_are_small_and_stable(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {
            "README.md": "# Shop\n\n" + "It sells. " * 400,
            "pyproject.toml": "[project]\nname = 'shop'\n",
            "deep/README.md": "# Not at the top\n",
            "src/app.py": "x = 1\n",
        },
    )
    gathered = gather(FileSource(tmp_path))
    stable = {item.item_id.partition("#")[0]: item for item in gathered.items if item.stable}
    assert set(stable) == {"file/README.md", "file/pyproject.toml", "file/"}
    assert stable["file/README.md"].content.startswith("# Shop")
    assert all(len(item.content.encode()) <= 2_400 for item in stable.values())
    assert stable["file/"].content == (
        "deep/  1 file, 17 B\n  README.md  17 B\nsrc/  1 file, 6 B\n  app.py  6 B\n"
        "README.md  4 KB\npyproject.toml  24 B"
    )
    plain = gather(FileSource(tmp_path, policy=FilePolicy(skeleton=False)))
    assert not any(item.stable for item in plain.items)


@given(
    st.lists(st.tuples(st.sampled_from([b"a", b"b/c", b"b/d/e", b"\xff/\n", "数/据".encode()]), st.integers(0, 10**9)))
)
def test_an_outline_is_bounded_and_names_no_path_in_raw(files: Sequence[tuple[bytes, int]]) -> None:
    many = [(b"%s/%d" % (path, n), size) for n, (path, size) in enumerate(files)] * 3
    shown = outline(many)
    assert len(shown.encode()) <= OUTLINE_BYTES + 40
    assert "\udcff" not in shown
    shown.encode()


@pytest.mark.proves("R-SOURCE-FILES-NEEDS")
def test_a_method_depends_on_the_item_that_holds_its_class(tmp_path: Path) -> None:
    body = "        value = compute(value)\n" * 40
    fill(tmp_path, {"a.py": f"class Shop:\n    def sell(self):\n{body}\n    def buy(self):\n{body}"})
    items = {item.item_id: item for item in gather(FileSource(tmp_path)).items}
    (head,) = (name for name, item in items.items() if item.content.startswith("class Shop"))
    assert [item.dependencies for name, item in items.items() if name != head] == [(head,)] * (len(items) - 1)


@pytest.mark.proves("R-STEP-NO-TRACE")
@pytest.mark.parametrize(
    "caller", [Caller(tenant="other"), Caller(principal="eve"), Caller(principal="eve", groups=frozenset({"dev"}))]
)
def test_who_may_not_read_the_folder_learns_a_number_only(caller: Caller, tmp_path: Path) -> None:
    fill(tmp_path, {"secret-name.txt": "canary", "b.txt": "canary"})
    policy = FilePolicy(readers=frozenset({"operator", "ops"}))
    gathered = gather(FileSource(tmp_path, policy=policy), caller)
    assert (gathered.items, gathered.decisions, gathered.refused) == ((), (), (("files", 2),))
    assert gather(FileSource(tmp_path, policy=policy), Caller(principal="eve", groups=frozenset({"ops"}))).items


def test_labels_tell_folders_apart(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": "x"})
    source = FileSource(tmp_path, label="one/two#")
    assert source.name == "files/one%2Ftwo%23"
    assert list(contents(gather(source))) == ["file/one%2Ftwo%23/a.txt#L1-1"]


def test_a_single_file_is_a_folder_that_holds_nothing_else(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": "x", "b.txt": "y"})
    assert contents(gather(FileSource(tmp_path / "a.txt"))) == {"file/a.txt#L1-1": "x"}


@pytest.mark.proves("R-BAD-UNREADABLE")
def test_a_root_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give a folder that exists"):
        gather(FileSource(tmp_path / "absent"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.proves("R-BAD-UNREADABLE")
def test_what_may_not_be_read_is_on_record(tmp_path: Path) -> None:
    fill(tmp_path, {"W/a.txt": "x", "W/locked": "canary", "W/closed/b.txt": "canary"})
    (tmp_path / "W/locked").chmod(0)
    (tmp_path / "W/closed").chmod(0)
    for above in (tmp_path / "W", *tmp_path.parents[:1], tmp_path):
        above.chmod(0o755)
    working, root = Path.cwd(), os.open(tmp_path / "W", os.O_RDONLY)
    try:
        os.fchdir(root)
        os.seteuid(65_534)
        gathered = gather(FileSource(Path()))
    finally:
        os.seteuid(0)
        os.chdir(working)
        os.close(root)
    assert contents(gathered) == {"file/a.txt#L1-1": "x"}
    assert reasons(gathered) == {
        "file/closed/": (Reason.UNREADABLE, "denied"),
        "file/locked": (Reason.UNREADABLE, "denied"),
    }


BLINK = """
import os, sys
os.chdir(sys.argv[1])
print("ready", flush=True)
while True:
    open("blink.txt", "w").write("there")
    os.makedirs("blinks/deep", exist_ok=True)
    open("blinks/deep/x.txt", "w").close()
    os.remove("blink.txt")
    os.remove("blinks/deep/x.txt")
    os.removedirs("blinks/deep")
"""


@pytest.mark.proves("R-BAD-VANISHED")
def test_what_vanishes_while_it_is_read_fails_alone(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": "stays"})
    with subprocess.Popen([sys.executable, "-c", BLINK, tmp_path], stdout=subprocess.PIPE) as blinking:
        try:
            assert blinking.stdout is not None
            assert blinking.stdout.readline() == b"ready\n"
            end = time.monotonic() + 0.7
            while time.monotonic() < end:
                gathered = gather(FileSource(tmp_path))
                assert contents(gathered)["file/a.txt#L1-1"] == "stays"
                assert {reason for reason, _ in reasons(gathered).values()} <= {Reason.UNREADABLE, Reason.IGNORED}
            assert blinking.poll() is None
        finally:
            blinking.kill()


class Shelf:
    """A cache that keeps everything, and counts."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.saves = 0

    def load(self, revision: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        return {key: self.kept[revision + key] for key in keys if revision + key in self.kept}

    def save(self, revision: str, entries: Mapping[str, bytes]) -> None:
        self.saves += 1
        self.kept |= {revision + key: data for key, data in entries.items()}


def test_a_cache_changes_nothing_but_the_work(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {
            "a.py": "def f():\n    return 1\n" * 200,
            "b.md": "# A\n\n数据\n" * 200,
            "same.py": "def f():\n    return 1\n" * 200,
        },
    )
    plain, shelf = gather(FileSource(tmp_path)), Shelf()
    assert gather(FileSource(tmp_path, cache=shelf)) == plain
    assert gather(FileSource(tmp_path, cache=shelf)) == plain
    assert shelf.saves == 1
    shelf.kept = {key: data[:-1] for key, data in shelf.kept.items()}
    assert gather(FileSource(tmp_path, cache=shelf)) == plain


@pytest.mark.proves("R-HOUSE-DETERMINISM")
def test_the_order_in_which_files_were_made_does_not_matter(tmp_path: Path) -> None:
    names = ["b.txt", "a/z.txt", "a.txt", "数.txt", "A.txt", "a-b/c.txt"]
    for root, order in (("one", names), ("two", names[::-1])):
        fill(tmp_path / root, dict.fromkeys(order, "x"))
    one, two = (list(contents(gather(FileSource(tmp_path / root)))) for root in ("one", "two"))
    assert one == two
