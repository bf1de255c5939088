"""`python -m bench`: run the measurements, show them, keep them; the date enters here and nowhere else."""

import argparse
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from datetime import UTC, date, datetime
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console

from bench import composing, counting, engines, machine, packers, selecting, starting
from bench.figures import Table, markdown, print_table
from bench.rooms import install

RESULTS = Path(__file__).parent / "results"
SECTIONS: dict[str, Callable[..., tuple[Table, ...]]] = {
    "select": selecting.measure,
    "compose": composing.measure,
    "count": counting.measure,
    "start": starting.measure,
    "engines": engines.measure,
    "packers": packers.measure,
}


def main() -> int:
    """Parse, measure every section in a process of its own, show and write."""
    options = _parser().parse_args()
    console = Console(width=None if sys.stdout.isatty() else 140)
    if options.install:
        install(console)
        return 0
    about = machine.describe()
    console.print(" · ".join(f"{key} {value}" for key, value in about.items()), highlight=False, soft_wrap=True)
    console.print()
    tables: list[Table] = []
    start = time.perf_counter()
    for name in options.only or SECTIONS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as own:
            for table in own.submit(SECTIONS[name], quick=options.quick).result():
                print_table(table, console)
                tables.append(table)
    took = time.perf_counter() - start
    if not options.quick and not options.only:
        _keep(tables, about, options.date, took, console)
    missed = [f"{table.title}: {row.cells[0]}" for table in tables for row in table.rows if row.met is False]
    console.print(f"{took:.0f} s; goals missed: {'; '.join(missed) or 'none'}", soft_wrap=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, about a minute; nothing is written")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="these sections; nothing is written")
    parser.add_argument("--install", action="store_true", help="fill .cache/bench with the public packers and engines")
    today = datetime.now(UTC).date()
    parser.add_argument("--date", type=date.fromisoformat, default=today, help="the day the results are filed under")
    return parser


def _keep(tables: list[Table], about: dict[str, str], day: date, took: float, console: Console) -> None:
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / f"{day.isoformat()}-{machine.slug(about)}"
    facts = {"date": day.isoformat(), "minutes": f"{took / 60:.1f}", **about}
    head = "\n".join(f"- {key}: {value}" for key, value in facts.items())
    text = f"# Speed, {day.isoformat()}\n\n{head}\n\n" + "\n".join(map(markdown, tables))
    stem.with_suffix(".md").write_text(text, "utf-8")
    record = {**facts, "tables": [asdict(table) for table in tables]}
    stem.with_suffix(".json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    console.print(f"written: {stem}.md and .json", soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
