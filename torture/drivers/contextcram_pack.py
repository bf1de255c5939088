"""Asks contextcram's Packer, all or nothing for each item."""

from collections.abc import Mapping
from typing import Any

from contextcram import Packer

from torture.drivers.wire import serve


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Rules and question required, items by their relevance."""
    packer = Packer(budget=given["budget"])
    packer.add(given["instructions"], priority="required")
    packer.add(given["question"], priority="required")
    for item in given["items"]:
        strategy = "truncate" if item["type"] == "tool_result" else "drop"
        packer.add(item["text"], priority=int(item["relevance"] * 100), strategy=strategy, name=item["id"])
    result = packer.fit()
    return {"text": result.text, "claimed": result.used_tokens}


if __name__ == "__main__":
    serve(ask, chat=False, pack=True)
