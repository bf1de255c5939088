"""A door to knock on: the command line in this process, in a folder of its own with a small shop to ask about."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus.interfaces.cli.main import cli

HTTP = '''"""HTTP client."""

MAX_RETRIES = 5


def fetch(url: str) -> bytes:
    """Fetch a page, retrying MAX_RETRIES times."""
    return b""
'''
README = "# Shop\n\nRetries are configured in http.py.\n\n## 退货\n\n退货期限是三十天。\n"
NOW = "2026-12-01T09:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one call of the command did."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout.decode()


def knock(*arguments: object) -> Outcome:
    """Call the command with these arguments in the current folder."""
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="conspectus")
    return Outcome(code=done.exit_code, stdout=done.stdout_bytes, stderr=done.stderr)


def refused(outcome: Outcome, code: int, *words: str) -> None:
    """The call ended with `code`, printed no payload, said what is wrong in these words, and kept quiet of how."""
    assert (outcome.code, outcome.stdout) == (code, b""), outcome.stderr
    for word in words:
        assert word in outcome.stderr
    assert "Traceback" not in outcome.stderr


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of the test: `shop/` with two files in it, and no state yet."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "http.py").write_text(HTTP, encoding="utf-8")
    (tmp_path / "shop" / "README.md").write_text(README, encoding="utf-8")
    return tmp_path


def assembled(*arguments: object, question: str = "Where are retries configured?") -> dict[str, Any]:
    """Assemble about the shop, and the manifest that came of it."""
    outcome = knock("assemble", question, "--in", "shop", "--now", NOW, "--manifest", "m.json", *arguments)
    assert outcome.code == 0, outcome.stderr
    manifest: dict[str, Any] = json.loads(Path("m.json").read_bytes())
    return manifest


def items(*records: dict[str, Any], name: str = "items.jsonl") -> str:
    """A file of items, each with a content unless it says otherwise; its name."""
    lines = [
        json.dumps({"kind": "evidence", "content": f"Text of {record['item_id']}.", **record}) for record in records
    ]
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return name
