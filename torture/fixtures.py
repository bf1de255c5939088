"""The inputs of the torture suite, read from tests/cases/fixtures; what is right for each is for `judge` to say."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "tests" / "cases" / "fixtures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """One input: `data` is what every driver is given, `check` which question the judge asks."""

    name: str
    title: str
    check: str
    data: dict[str, Any]

    @property
    def budget(self) -> int:
        """Tokens the result may have, by the o200k vocabulary."""
        return int(self.data["budget"])

    @property
    def needles(self) -> list[str]:
        """What is looked for in the result."""
        return list(self.data.get("needles", ()))


def read_fixtures(folder: Path = FOLDER) -> list[Fixture]:
    """Every fixture, by name; repeated items are written out."""
    return [_read(path) for path in sorted(folder.glob("*.json"))]


def _read(path: Path) -> Fixture:
    data = json.loads(path.read_text(encoding="utf-8"))
    fillers = data.pop("fillers", None)
    for n in range(fillers["count"] if fillers else 0):
        text = fillers["text"].replace("{n}", str(n))
        data["items"].append(
            {"id": f"filler/{n}", "text": text, "type": "evidence", "relevance": fillers.get("relevance", 0.5)}
        )
    data["check"] = data.pop("check")
    return Fixture(name=path.stem, title=data.pop("title"), check=data["check"], data=data)


def forged(fixture: Fixture, fence: tuple[str, ...]) -> dict[str, Any]:
    """The fixture's input with the strings that are structure to one system inside its data."""
    data = json.loads(json.dumps(fixture.data))
    for item in data["items"]:
        item["text"] = item["text"].replace("{fence}", "\n".join(fence))
    return dict(data)
