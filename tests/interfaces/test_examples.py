"""The examples run as they stand, and the happy path is short and shown in the README."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MOST_LINES = 25


def run(path: Path, folder: Path) -> str:
    command = [sys.executable, "-W", "error", str(path)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.proves("R-HOUSE-HAPPY-PATH", "R-HOUSE-DOCS")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_runs_and_leaves_nothing_behind(path: Path, tmp_path: Path) -> None:
    assert run(path, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.proves("R-HOUSE-HAPPY-PATH")
def test_the_happy_path_is_short_and_in_the_readme() -> None:
    lines = (ROOT / "examples" / "quickstart.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_LINES
    for page in ("README.md", "README.zh.md"):
        assert "\n".join(lines[2:]) in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.proves("R-HOUSE-HAPPY-PATH")
def test_the_happy_path_prints_a_payload_and_its_reasons(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "quickstart.py", tmp_path)
    assert "What does the quickstart print?" in text
    assert "request kept mandatory" in text


def test_what_was_kept_is_explained_and_replayed(tmp_path: Path) -> None:
    assert "replayed byte for byte: True" in run(ROOT / "examples" / "keep_and_replay.py", tmp_path)
