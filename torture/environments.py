"""One virtual environment for every rival, apart from the project's own; nothing of theirs enters the repository."""

import shutil
import subprocess
import sys
from pathlib import Path

from torture.rivals import Rival

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".cache" / "torture"
TIMEOUT = 600


def folder(rival: Rival) -> Path:
    """Where the rival lives."""
    return HOME / rival.name.replace(" ", "-")


def python(rival: Rival) -> Path:
    """Its interpreter."""
    return folder(rival) / "bin" / "python"


def is_installed(rival: Rival) -> bool:
    """Whether its environment was filled."""
    return (folder(rival) / ".ready").exists()


def failure(rival: Rival) -> str:
    """Why its environment could not be filled, or empty."""
    note = folder(rival) / ".failed"
    return note.read_text(encoding="utf-8") if note.exists() else ""


def install(rival: Rival) -> str:
    """Fill the rival's environment; why it failed, or empty."""
    if is_installed(rival):
        return ""
    place = folder(rival)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    steps = ([sys.executable, "-m", "venv", str(place)], _filling(rival))
    for step in steps:
        try:
            done = subprocess.run(step, capture_output=True, text=True, timeout=TIMEOUT, check=False)
            reason = (done.stderr.strip().splitlines() or ["failed"])[-1] if done.returncode else ""
        except subprocess.TimeoutExpired:
            reason = f"not installed after {TIMEOUT} s"
        if reason:
            (place / ".failed").write_text(reason, encoding="utf-8")
            return reason
    (place / ".ready").touch()
    return ""


def _filling(rival: Rival) -> list[str]:
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", str(python(rival)), *rival.packages]
    return [str(python(rival)), "-m", "pip", "install", "--quiet", *rival.packages]


def version(rival: Rival) -> str:
    """The installed version of the rival's first package."""
    package = rival.packages[0].partition("==")[0]
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([str(python(rival)), "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()
