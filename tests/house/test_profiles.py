"""The invariants of the contract run a thousand generated cases each; the other properties a hundred."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CONTRACT, profile_for

ROOT = Path(__file__).parents[2]
PROBE = '''"""Planted: counts the cases that a property in this folder really runs."""

from hypothesis import given
from hypothesis import strategies as st

RAN: list[int] = []


@given(st.integers())
def test_property(value: int) -> None:
    RAN.append(value)


def test_total() -> None:
    assert len(RAN) >= {expected}
'''


@pytest.mark.parametrize(
    ("path", "chosen", "profile"),
    [
        (CONTRACT / "test_any.py", None, "full"),
        (CONTRACT / "deep" / "test_any.py", None, "full"),
        (CONTRACT.parent / "text" / "test_any.py", None, "default"),
        (CONTRACT / "test_any.py", "soak", "soak"),
    ],
)
def test_a_folder_chooses_its_profile_and_the_command_line_wins(path: Path, chosen: str | None, profile: str) -> None:
    assert profile_for(path, chosen) == profile


@pytest.mark.parametrize(("folder", "expected"), [("contract", 1_000), ("text", 100)])
def test_the_number_of_cases_is_what_a_real_run_uses(tmp_path: Path, folder: str, expected: int) -> None:
    tests = tmp_path / "tests"
    (tests / folder).mkdir(parents=True)
    (tests / "conftest.py").write_text((CONTRACT.parent / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tests / folder / "test_probe.py").write_text(PROBE.format(expected=expected), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = contract\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "tests",
    ]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_invariant_lowers_its_number_of_cases() -> None:
    lowered = [
        f"{path.relative_to(ROOT)}:{node.value.lineno}"
        for path in sorted(CONTRACT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "max_examples"
    ]
    assert lowered == []
