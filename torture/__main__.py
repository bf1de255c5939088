"""The door of the torture suite: `python -m torture` fetches the others where they are missing, and runs."""

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from conspectus.core.call import Form
from conspectus.core.message import Prompt
from conspectus.models.registry import resolve
from torture import environments
from torture.fixtures import Fixture, read_fixtures
from torture.judge import Judgement, judge
from torture.ours import NAME
from torture.rivals import RIVALS, Rival
from torture.trial import try_ours, try_rival

RESULTS = Path(__file__).parent / "results"
MARKS = {"right": "✓", "wrong": "✗", "n/a": "·", "absent": "–"}
Table = dict[str, list[Judgement]]


def main() -> int:
    """Run every fixture on every system that is installed, print the table and keep it; 1 where ours is wrong."""
    given = argparse.ArgumentParser(prog="torture", description=__doc__)
    given.add_argument("--install", action="store_true", help="fill the environments of the rivals, then stop")
    given.add_argument("--installed-only", action="store_true", help="leave out rivals that are not installed yet")
    given.add_argument("--only", default="", help="systems whose name holds this")
    options = given.parse_args()
    rivals = [rival for rival in RIVALS if options.only in rival.name]
    if options.install:
        for rival in rivals:
            say(f"{rival.name}: {environments.install(rival) or 'installed'}")
        return 0
    fixtures = read_fixtures()
    for rival in rivals:
        if not (options.installed_only or environments.is_installed(rival) or environments.failure(rival)):
            say(f"{rival.name}: {environments.install(rival) or 'installed'}")
    table, versions = run(fixtures, rivals)
    say(written(fixtures, table))
    RESULTS.mkdir(exist_ok=True)
    moment = datetime.now(UTC)
    report = RESULTS / f"{moment:%Y-%m-%d}.md"
    report.write_text(f"{heading(moment, versions)}\n{written(fixtures, table)}", encoding="utf-8")
    say(f"\nkept in {report.relative_to(Path.cwd()) if report.is_relative_to(Path.cwd()) else report}")
    return int(any(one.verdict == "wrong" for one in table[NAME]))


def run(fixtures: list[Fixture], rivals: list[Rival]) -> tuple[Table, dict[str, str]]:
    """What became of each fixture in each system, and which versions those were."""
    profile = resolve("o200k", Form.TEXT)

    def count(text: str) -> int:
        return profile.count(Prompt(text=text))

    outcomes = try_ours(fixtures)
    table = {NAME: [judge(fixture, one, count) for fixture, one in zip(fixtures, outcomes, strict=True)]}
    versions: dict[str, str] = {}
    for rival in rivals:
        if not environments.is_installed(rival):
            why = environments.failure(rival) or "run `python -m torture --install`"
            table[rival.name] = [Judgement(verdict="absent", why=f"not installed: {why}")] * len(fixtures)
            continue
        say(f"… {rival.name}")
        versions[rival.name] = environments.version(rival)
        outcomes = try_rival(rival, fixtures)
        table[rival.name] = [judge(fixture, one, count) for fixture, one in zip(fixtures, outcomes, strict=True)]
    return table, versions


def written(fixtures: list[Fixture], table: Table) -> str:
    """The table as Markdown: a row a fixture, a column a system, then what each wrong one did."""
    names = list(table)
    lines = [f"| fixture | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for place, fixture in enumerate(fixtures):
        marks = " | ".join(MARKS[table[name][place].verdict] for name in names)
        lines.append(f"| {fixture.name} | {marks} |")
    sums = [f"{sum(one.verdict == 'right' for one in own)}/{asked(own)}" for own in table.values()]
    lines.append(f"| **right of what applies** | {' | '.join(sums)} |")
    lines.append("\n✓ right · ✗ wrong · · does not apply · – not installed\n")
    for place, fixture in enumerate(fixtures):
        wrong = [f"{name}: {own[place].why}" for name, own in table.items() if own[place].verdict == "wrong"]
        lines.append(f"- **{fixture.name}** ({fixture.title}): {'; '.join(wrong) or 'nobody is wrong'}")
    absent = [f"- {name}: {own[0].why}" for name, own in table.items() if own and own[0].verdict == "absent"]
    return "\n".join([*lines, *absent]) + "\n"


def asked(judgements: list[Judgement]) -> int:
    """How many of them apply."""
    return sum(one.verdict in ("right", "wrong") for one in judgements)


def heading(moment: datetime, versions: dict[str, str]) -> str:
    """On what, when and with which versions."""
    listed = ", ".join(f"{name} ({version})" for name, version in versions.items())
    return (
        f"# Torture suite, {moment:%Y-%m-%d}\n\n"
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}. "
        f"Tokens by o200k. Each system gets the same texts, budget and scores, by its own calls.\n"
        "The inputs are here because some system got them wrong: a list of faults to avoid, no survey of merits.\n\n"
        f"{listed}\n"
    )


def say(text: str) -> None:
    """One line for the person who waits."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
