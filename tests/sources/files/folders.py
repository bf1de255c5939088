"""Folders for the tests, and what a source says of them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from conspectus.core.call import Caller, Request
from conspectus.core.manifest import Gathered, Reason
from conspectus.sources.files.source import FileSource

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def fill(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def gather(source: FileSource, caller: Caller | None = None) -> Gathered:
    return source.gather(Request(question="?"), caller or Caller(), NOW)


def contents(gathered: Gathered) -> dict[str, str]:
    return {item.item_id: item.content for item in gathered.items}


def reasons(gathered: Gathered) -> dict[str, tuple[Reason, str]]:
    return {decision.subject: (decision.reason, decision.detail) for decision in gathered.decisions}
