"""CPU seconds, growth and memory of calls in this process, or of fresh processes; it keeps no figures."""

import gc
import math
import os
import subprocess
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """CPU and wall seconds of a process."""

    cpu: float
    wall: float


def cpu(call: Callable[[], object], repeats: int = 3) -> float:
    """Least CPU seconds of `repeats` calls, after collecting garbage."""
    return min(_timed(call) for _ in range(repeats))


def alternating(calls: Sequence[Callable[[], object]], repeats: int = 3) -> list[float]:
    """Least CPU seconds of each call, taken in turns, so that a busy machine is unfair to none of them."""
    best = [math.inf] * len(calls)
    for _ in range(repeats):
        best = [min(least, _timed(call)) for least, call in zip(best, calls, strict=True)]
    return best


def _timed(call: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    call()
    return time.process_time() - start


def peak_memory(call: Callable[[], object]) -> float:
    """Megabytes the call adds at its peak, as the allocator sees it."""
    gc.collect()
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def slope(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The exponent of growth between first and last: 1 is linear, 2 quadratic."""
    return math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])


def process(arguments: Sequence[str | Path], folder: Path | None = None, output: Path = Path(os.devnull)) -> Spent:
    """CPU and wall seconds of one fresh process.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    start = time.perf_counter()
    with (
        output.open("wb") as sink,
        subprocess.Popen(arguments, cwd=folder, stdout=sink, stderr=subprocess.PIPE) as child,
    ):
        said = child.stderr.read() if child.stderr else b""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, list(map(str, arguments)), stderr=said)
    return Spent(cpu=usage.ru_utime + usage.ru_stime, wall=time.perf_counter() - start)


def median_process(arguments: Sequence[str | Path], repeats: int) -> Spent:
    """The median of several fresh processes."""
    runs = [process(arguments) for _ in range(repeats)]
    return Spent(cpu=median(run.cpu for run in runs), wall=median(run.wall for run in runs))
