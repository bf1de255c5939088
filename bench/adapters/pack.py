"""Run one public packer in its own environment: `pack.py ADAPTER REQUEST.json REPLY.json`; it judges nothing.

An adapter's `prepare(request)` does what a caller does before (objects, tokenizer) and returns the call that is timed.
That call returns `{"text": …}` or `{"messages": [[role, text], …]}`, with `claimed`, the tokens it says that has.
"""

import gc
import json
import resource
import sys
import time
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Prepare, call once, and write what came out and what it took."""
    adapter, asked, reply = sys.argv[1:]
    call = import_module(adapter).prepare(json.loads(Path(asked).read_text("utf-8")))
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu, wall = time.process_time(), time.perf_counter()
    packed = call()
    packed["cpu"], packed["wall"] = time.process_time() - cpu, time.perf_counter() - wall
    packed["memory"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    Path(reply).write_text(json.dumps(packed), "utf-8")


main()
