"""What a person waits for: the import, and `conspectus assemble` over a folder of 500 files, in fresh processes."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.clock import Spent, process
from bench.corpus import NOW, QUESTION, stdlib
from bench.figures import Row, Table

IMPORT = 0.3
COLD = 2.0
WARM = 0.6
FILES = 500
_LARGEST = 200_000
_CODE = """
import time
cpu, wall = time.process_time(), time.perf_counter()
import conspectus
print(time.process_time() - cpu, time.perf_counter() - wall)
"""


def measure(*, quick: bool) -> tuple[Table, ...]:
    """Import time, and the command over a generated repository, cold and warm."""
    repeats = 3 if quick else 7
    rows = [_import(repeats)]
    columns = ("what", "CPU, s", "wall, s", "goal, s")
    about = (
        f"Medians of {repeats} fresh processes; cold has an empty home, warm has seen the folder before. The repository"
        f" is {FILES} files of the Python library, under 200 kB each. The goal is held against CPU seconds."
    )
    command = Path(sys.executable).with_name("conspectus")
    with tempfile.TemporaryDirectory(prefix="conspectus-bench-") as name:
        try:
            rows.extend(_command(command, Path(name), repeats))
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            said = (getattr(error, "stderr", b"") or b"").decode(errors="replace").strip().splitlines()
            rows.append(Row(cells=("conspectus assemble", None, None, f"not there yet: {said[-1] if said else error}")))
    return (Table(title="4 · Starting", about=about, columns=columns, rows=tuple(rows)),)


def _import(repeats: int) -> Row:
    runs: list[tuple[float, float]] = []
    for _ in range(repeats):
        done = subprocess.run([sys.executable, "-c", _CODE], capture_output=True, text=True, check=True)
        cpu, wall = map(float, done.stdout.split())
        runs.append((cpu, wall))
    spent = Spent(cpu=median(cpu for cpu, _ in runs), wall=median(wall for _, wall in runs))
    return _row("import conspectus", spent, IMPORT)


def _row(what: str, spent: Spent, goal: float) -> Row:
    return Row(cells=(what, spent.cpu, spent.wall, goal), met=spent.cpu <= goal)


def _command(command: Path, place: Path, repeats: int) -> tuple[Row, Row]:
    folder, home = place / "repository", place / "home"
    size = _repository(folder)
    arguments = [
        command, "assemble", QUESTION, "--in", folder, "--input-limit", "8000", "--now", NOW.isoformat(),
        "--home", home,
    ]  # fmt: skip
    cold: list[Spent] = []
    for _ in range(min(repeats, 3)):
        shutil.rmtree(home, ignore_errors=True)
        cold.append(process(arguments))
    warm = [process(arguments) for _ in range(repeats)]
    what = f"conspectus assemble, {FILES} files, {size / 1e6:.1f} MB"
    return _row(f"{what}, cold", _median(cold), COLD), _row(f"{what}, warm", _median(warm), WARM)


def _median(runs: list[Spent]) -> Spent:
    return Spent(cpu=median(run.cpu for run in runs), wall=median(run.wall for run in runs))


def _repository(folder: Path) -> int:
    """Copy the first 500 moderate files of the library, in their folders; returns bytes."""
    root, copied, size = stdlib(), 0, 0
    for path in sorted(root.rglob("*.py")):
        if copied == FILES:
            break
        if "site-packages" in path.parts or "test" in path.parts or path.stat().st_size > _LARGEST:
            continue
        target = folder / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        copied += 1
        size += path.stat().st_size
    return size
