"""Ignore rules mean what git takes them for, and no rule or name can make them slow."""

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conspectus.sources.files.ignore import is_ignored, parse_rules
from conspectus.sources.files.walk import walk
from conspectus.storage.beneath import Folder

GIT = shutil.which("git")

ATOMS = [
    "a",
    "b",
    "c",
    ".",
    "é",
    "-",
    "!",
    "#",
    " ",
    "*",
    "**",
    "?",
    "/",
    "[ab]",
    "[!a]",
    "[a-c]",
    "[^/]",
    "\\*",
    "\\a",
    "\\/",
]
ATOMS += [
    "[]a]",
    "[[:alpha:]]",
    "[[:digit:]-]",
    "[",
    "]",
    "[a",
    "[!]]",
    "[z-a]",
    "a/",
    "/a",
    "**/",
    "/**",
    "/**/",
    "***",
]
PATTERNS = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5).map("".join)
NAMES = st.lists(
    st.sampled_from(["a", "b", "c", ".", "é", "-", "!", "#", "*", "[", "]", "7", "z", " "]), min_size=1, max_size=3
)
PATHS = st.lists(NAMES.map("".join).filter(lambda name: name not in {".", ".."}), min_size=1, max_size=3).map("/".join)


def names(path: str) -> list[str]:
    """A path as the rules see it: one character a byte."""
    return [part.decode("latin-1") for part in path.encode().split(b"/")]


def ours(rules: Sequence[str], path: str) -> bool:
    """Whether `path`, a file, is left out: a folder that is left out takes everything in it along."""
    layers = ((0, parse_rules("\n".join(rules).encode())),)
    parts = names(path)
    return any(is_ignored(layers, parts[:depth], depth < len(parts)) for depth in range(1, len(parts) + 1))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("repository")
    if GIT is None:
        pytest.skip("git is not installed")
    subprocess.run([GIT, "init", "-q", path], check=True)
    return path


def theirs(repository: Path, rules: Sequence[str], paths: Sequence[str]) -> set[str]:
    """Those of `paths` that git leaves out; none of them needs to exist."""
    (repository / ".gitignore").write_bytes("\n".join(rules).encode())
    asked = "\0".join(paths).encode() + b"\0"
    done = subprocess.run(
        [str(GIT), "-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=repository,
        input=asked,
        capture_output=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    return {path.decode() for path in done.stdout.split(b"\0") if path}


@pytest.mark.proves("R-SOURCE-FILES-IGNORE")
@settings(max_examples=60)
@given(rules=st.lists(PATTERNS, min_size=1, max_size=4), paths=st.lists(PATHS, min_size=1, max_size=12, unique=True))
@example(
    rules=["*.pyc", "!keep.pyc", "build/", "/top", "docs/**/x", "a/**"], paths=["a/b", "keep.pyc", "docs/x", "z/top"]
)
@example(rules=["**/a/**", "!b"], paths=["a", "a/b", "b/a/c", "c/a"])
@example(rules=["a[!/]b", "[[:alpha:]]", "[a-]", "[]-a]"], paths=["a/b", "a", "-", "]", "7", "é"])
@example(rules=["a ", "b\\ ", "#c", "\\#c", "!a", "\\!a"], paths=["a", "b ", "#c", "!a", "a "])
def test_rules_mean_what_git_takes_them_for(repository: Path, rules: list[str], paths: list[str]) -> None:
    known = theirs(repository, rules, paths)
    assert {path: ours(rules, path) for path in paths} == {path: path in known for path in paths}


TREE = {
    ".gitignore": "*.log\nbuild/\n/only-top\n!keep.log\nsub/deep/*\n!sub/deep/back.txt\n",
    "sub/.gitignore": "!special.log\nlocal.txt\n",
    "sub/deep/.gitignore": "back.txt\n!again.log\n",
}
FILES = [
    *("a.log", "keep.log", "a.txt", "only-top", "build/x", "sub/only-top", "sub/a.log", "sub/special.log"),
    *("sub/local.txt", "sub/build/x", "sub/deep/x", "sub/deep/back.txt", "sub/deep/again.log", "other/local.txt"),
    *("nested/build", "named exclude", "nested/named exclude"),
]


@pytest.mark.proves("R-SOURCE-FILES-IGNORE")
def test_rules_of_every_level_meet_as_they_do_in_git(repository: Path, tmp_path: Path) -> None:
    subprocess.run([str(GIT), "init", "-q", tmp_path], check=True)
    (tmp_path / ".git" / "info").mkdir(exist_ok=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("named exclude\n")
    for name, text in {**TREE, **dict.fromkeys(FILES, "x")}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    listed = subprocess.run(
        [str(GIT), "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    with Folder(tmp_path) as folder:
        walked = walk(folder)
    assert set(walked.files) == {path for path in listed.stdout.split(b"\0") if path}


def test_a_rule_file_is_read_as_git_reads_it() -> None:
    rules = parse_rules(b"\xef\xbb\xbfa\r\nb  \r\n\r\n# no\n!\n/\nc\\\n")
    layers = ((0, rules),)
    assert is_ignored(layers, ["a"], False)
    assert is_ignored(layers, ["b"], False)
    assert not is_ignored(layers, ["c"], False)
    assert not is_ignored(layers, ["c\\"], False)


@pytest.mark.parametrize(
    "rule",
    [
        "*a" * 60 + "b",
        "*?" * 60 + "[!b]",
        "**/" * 100 + "x",
        "a/**/" * 60 + "z",
        "[" * 5_000,
        "*" * 50_000,
        "[[:x:]" * 999,
    ],
)
def test_no_rule_is_slow(rule: str) -> None:
    layers = ((0, parse_rules(rule.encode())),)
    started = time.process_time()
    for _ in range(100):
        is_ignored(layers, ["a" * 255], False)
        is_ignored(layers, ["a"] * 200, False)
    assert time.process_time() - started < 2


@given(st.binary(max_size=200), st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=4))
def test_any_bytes_are_rules(data: bytes, path: list[bytes]) -> None:
    layers = ((0, parse_rules(data)),)
    assert is_ignored(
        layers, [os.fsdecode(part).encode("latin-1", "replace").decode("latin-1") for part in path], False
    ) in {
        True,
        False,
    }
