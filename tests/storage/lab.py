"""Processes that are killed, crowded or starved of room while they write, run as `python -m tests.storage.lab WHAT …`.

Each prints one JSON document about what it saw; the tests judge it.
"""

import json
import os
import random
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from conspectus.core.canonical import digest
from conspectus.errors import BlobMissing, StorageFull
from conspectus.storage.archive import BlobArchive
from conspectus.storage.atomic import sweep, write_whole
from conspectus.storage.home import Home
from tests.storage.strategies import NOW

_SIZE = 3_000


def blob(number: int) -> bytes:
    """Content that tells its number and is hard to pack."""
    return b"%d " % number + random.Random(number).randbytes(_SIZE)


def opened(folder: str) -> BlobArchive:
    return BlobArchive(Home(Path(folder)), "keep", NOW)


def put_for_ever(folder: str, first: int, acknowledge: int) -> None:
    archive = opened(folder)
    for number in range(first, first + 1_000_000):
        archive.put("t", [blob(2 * number), blob(2 * number + 1)])
        os.write(acknowledge, b"%d\n" % number)


def replace_for_ever(folder: str, first: int, acknowledge: int) -> None:
    path = Path(folder) / "value"
    for number in range(first, first + 1_000_000):
        write_whole(path, blob(number))
        os.write(acknowledge, b"%d\n" % number)


def killed(write: Callable[[str, int, int], None], folder: str, first: int, pause: random.Random) -> list[int]:
    """The numbers a child acknowledged before SIGKILL hit it, at any point of one of its next writes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        write(folder, first, writing)
        os._exit(0)
    os.close(writing)
    data = b""
    while data.count(b"\n") < 2 and (piece := os.read(reading, 65_536)):
        data += piece
    time.sleep(pause.uniform(0.0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while piece := os.read(reading, 65_536):
        data += piece
    os.close(reading)
    return [int(number) for number in data.split()]


def kill_archive(folder: str, times: str) -> object:
    """Kill a writer of pairs again and again; every acknowledged pair is whole, no pair is half there."""
    pause = random.Random(1)
    acknowledged: list[int] = []
    for turn in range(int(times)):
        acknowledged += killed(put_for_ever, folder, 1_000 * turn, pause)
    archive = opened(folder)
    lost = [n for n in acknowledged if not (held(archive, 2 * n) and held(archive, 2 * n + 1))]
    torn = [
        n for turn in range(int(times)) for n in range(1_000 * turn, 1_000 * turn + 200)
        if held(archive, 2 * n) != held(archive, 2 * n + 1)
    ]  # fmt: skip
    return {"acknowledged": len(acknowledged), "lost": lost, "torn": torn}


def held(archive: BlobArchive, number: int) -> bool:
    content = blob(number)
    try:
        return archive.fetch("t", digest(content), "s") == content
    except BlobMissing:
        return False


def kill_file(folder: str, times: str) -> object:
    """Kill a writer of one file again and again; it is always one whole value, not older than the last acknowledged."""
    pause = random.Random(2)
    path = Path(folder) / "value"
    wrong = acknowledged = 0
    for turn in range(int(times)):
        numbers = killed(replace_for_ever, folder, 1_000 * turn, pause)
        acknowledged += len(numbers)
        if path.exists():
            found = path.read_bytes()
            number = int(found.split(b" ", 1)[0])
            wrong += found != blob(number) or (bool(numbers) and number < numbers[-1])
    stale = len(list(Path(folder).glob(".*.tmp")))
    swept = sweep(Path(folder))
    left = sorted(entry.name for entry in Path(folder).iterdir())
    return {"acknowledged": acknowledged, "wrong": wrong, "stale": stale, "swept": swept, "left": left}


def crowd(folder: str, writers: str, seconds: str) -> object:
    """Many processes put at once for some seconds: what each committed and how long its slowest put took."""
    start = time.monotonic() + 0.2
    pipes = []
    for writer in range(int(writers)):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.close(reading)
            os.write(writing, json.dumps(put_until(folder, writer, start, float(seconds))).encode())
            os._exit(0)
        os.close(writing)
        pipes.append(reading)
    results = []
    for reading in pipes:
        select.select([reading], [], [])
        data = b""
        while piece := os.read(reading, 65_536):
            data += piece
        results.append(json.loads(data))
    archive = opened(folder)
    missing = sum(
        not held(archive, 100_000 * writer + number)
        for writer, result in enumerate(results)
        for number in range(result["commits"])
    )
    return {"results": results, "missing": missing}


def put_until(folder: str, writer: int, start: float, seconds: float) -> dict[str, object]:
    time.sleep(max(0.0, start - time.monotonic()))
    archive = opened(folder)
    waits: list[float] = []
    try:
        while (began := time.monotonic()) < start + seconds:
            archive.put("t", [blob(100_000 * writer + len(waits)), b"shared"])
            waits.append(time.monotonic() - began)
    except Exception as error:  # noqa: BLE001 - told to the test, which accepts none
        return {"commits": len(waits), "waits": waits, "error": repr(error)}
    return {"commits": len(waits), "waits": waits, "error": ""}


def fill(folder: str) -> object:
    """Put until the device is full, then make room: what was acknowledged is there, and putting goes on."""
    ballast = Path(folder) / "ballast"
    ballast.write_bytes(b"x" * 100_000)
    home = str(Path(folder) / "home")
    archive = opened(home)
    acknowledged = 0
    try:
        for number in range(10_000):
            archive.put("t", [blob(number)])
            acknowledged += 1
        refusal = ""
    except StorageFull as error:
        refusal = str(error)
    path = Path(folder) / "value"
    states: list[str] = []
    for size in range(0, 100_000, 4_000):
        try:
            write_whole(path, b"v" * size)
            states.append("written")
        except StorageFull:
            states.append("full" if path.exists() and set(path.read_bytes()) <= {ord("v")} else "torn")
    kept = sum(held(opened(home), number) for number in range(acknowledged))
    ballast.unlink()
    archive.put("t", [blob(77_777)])
    after = held(archive, 77_777) and held(archive, 0)
    stale = len(list(Path(folder).glob(".*.tmp")))
    return {
        "refusal": refusal,
        "acknowledged": acknowledged,
        "kept": kept,
        "after": after,
        "states": states,
        "stale": stale,
    }


def small_files(folder: str) -> object:
    """Write more than the process may: the old file is whole and nothing is left behind."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
    path = Path(folder) / "value"
    write_whole(path, b"old")
    try:
        write_whole(path, b"x" * 5_000)
        refusal = ""
    except StorageFull as error:
        refusal = str(error)
    return {
        "refusal": refusal,
        "value": path.read_text(),
        "left": sorted(entry.name for entry in Path(folder).iterdir()),
    }


EXPERIMENTS: dict[str, Callable[..., object]] = {
    made.__name__: made for made in (kill_archive, kill_file, crowd, fill, small_files)
}

if __name__ == "__main__":
    print(json.dumps(EXPERIMENTS[sys.argv[1]](*sys.argv[2:])))
