"""What is acknowledged survives kills, crowds and full devices, and nothing is ever half there."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.house.sources import ROOT


def run(*arguments: object) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "tests.storage.lab", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def small_device(tmp_path: Path) -> Iterator[Path]:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=640k", "tmpfs", str(tmp_path)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small device can be mounted here: {mounted.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


@pytest.mark.proves("R-DOOR-STATE")
def test_a_killed_writer_loses_nothing_acknowledged_from_the_archive(tmp_path: Path) -> None:
    seen = run("kill_archive", tmp_path, 25)
    assert seen["acknowledged"] >= 50
    assert (seen["lost"], seen["torn"]) == ([], [])


@pytest.mark.proves("R-DOOR-STATE")
def test_a_killed_writer_leaves_a_whole_file_and_what_it_left_is_swept(tmp_path: Path) -> None:
    seen = run("kill_file", tmp_path, 40)
    assert seen["acknowledged"] >= 80
    assert seen["wrong"] == 0
    assert seen["swept"] == seen["stale"]
    assert seen["left"] == ["value"]


def test_sixteen_writers_lose_nothing(tmp_path: Path) -> None:
    check_crowd(tmp_path, seconds=3)


@pytest.mark.soak
def test_sixteen_writers_wait_in_turn(tmp_path: Path) -> None:
    """Fairness needs time to show: over a minute the slowest has a fourth of the fastest's commits, at the least."""
    commits, waits = check_crowd(tmp_path, seconds=60)
    assert min(commits) >= max(commits) / 4, commits
    assert max(waits) < 3


def check_crowd(folder: Path, seconds: int) -> tuple[list[int], list[float]]:
    seen = run("crowd", folder, 16, seconds)
    assert [result["error"] for result in seen["results"]] == [""] * 16
    assert seen["missing"] == 0
    commits = [result["commits"] for result in seen["results"]]
    assert min(commits) >= 1
    return commits, [wait for result in seen["results"] for wait in result["waits"]]


@pytest.mark.proves("R-EXIT-6")
def test_a_full_device_is_told_and_costs_nothing_that_was_kept(small_device: Path) -> None:
    seen = run("fill", small_device)
    assert "no room" in seen["refusal"]
    assert 10 < seen["acknowledged"] == seen["kept"]
    assert seen["after"]
    assert {"written", "full"} == set(seen["states"])
    assert seen["stale"] == 0


def test_a_file_that_may_not_grow_is_told_and_the_old_one_stays(tmp_path: Path) -> None:
    seen = run("small_files", tmp_path)
    assert "previous state is still whole" in seen["refusal"]
    assert (seen["value"], seen["left"]) == ("old", ["value"])
