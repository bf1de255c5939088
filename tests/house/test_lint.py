"""`make lint` is clean: style, types and import contracts, by the same tools and settings as on the command line."""

import os
import subprocess

import pytest

from tests.house.sources import ROOT


@pytest.mark.proves("R-HOUSE-TYPES", "R-HOUSE-STYLE")
def test_lint_is_clean() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--keep-going", "lint"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
