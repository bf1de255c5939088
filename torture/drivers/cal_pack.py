"""Asks cal-context's Selector over a folder of chunks, dependencies declared."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cal import Selector

from torture.drivers.wire import serve


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Index the items, select, and take the text it builds."""
    with tempfile.TemporaryDirectory() as folder:
        chunks: dict[str, Any] = {}
        names = {item["id"]: f"chunk{number}" for number, item in enumerate(given["items"])}
        for item in given["items"]:
            name = names[item["id"]]
            (Path(folder) / f"{name}.md").write_text(item["text"], encoding="utf-8")
            chunks[name] = {
                "source_file": str(Path(folder) / f"{name}.md"),
                "chunk_class": "exact",
                "triggers": sorted({word.lower() for word in item["text"].split()}),
                "tokens": len(item["text"]) // 4,
                "dependencies": [names[other] for other in item.get("needs", ())],
            }
        selector = Selector(index=chunks, token_budget=given["budget"])
        chosen = selector.select(given["question"])
        return {"text": selector.build_context(chosen["chunks"])}


if __name__ == "__main__":
    serve(ask, chat=False, pack=True, foreign=frozenset())
