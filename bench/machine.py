"""What the figures were measured on: processor, cores, Python, versions; it identifies no person or host."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("conspectus", "numpy", "quicktok-v1", "tiktoken", "tokenizers", "msgspec", "regex")
_ROOT = Path(__file__).parents[1]


def describe() -> dict[str, str]:
    """The machine and the versions, as short strings."""
    return {
        "cpu": _cpu(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "commit": _commit(),
        "load": f"{os.getloadavg()[0]:.1f} when the run began",
        **{name: _version(name) for name in _PACKAGES},
    }


def slug(machine: dict[str, str]) -> str:
    """The processor and its cores as part of a file name."""
    words = "".join(c if c.isalnum() else " " for c in machine["cpu"].lower()).split()
    kept = [word for word in words if word not in {"r", "tm", "cpu", "processor", "core", "with"}]
    return "-".join([*kept[:3], f"{machine['cores']}-cores"])


def _proc(file: str, field: str) -> str:
    path = Path("/proc", file)
    if not path.exists():
        return ""
    lines = path.read_text("utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(field)), "")


def _cpu() -> str:
    return _proc("cpuinfo", "model name") or platform.processor() or platform.machine()


def _memory() -> str:
    total = _proc("meminfo", "MemTotal").removesuffix(" kB")
    return f"{int(total) / 1e6:.0f} GB" if total else "unknown"


def _commit() -> str:
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=_ROOT, capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or "unknown"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
