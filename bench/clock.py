"""CPU seconds and memory of one call, in this process."""

import gc
import resource
import time
import tracemalloc
from collections.abc import Callable


def cpu(call: Callable[[], object], repeats: int = 3) -> float:
    """Least CPU seconds of `repeats` calls, after collecting garbage."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def peak_memory(call: Callable[[], object]) -> float:
    """Megabytes the call adds at its peak, as the allocator sees it."""
    gc.collect()
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def resident() -> float:
    """Largest resident set of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
