"""Asks cendor-contextkit's Context, its blocks the fixture's items."""

from collections.abc import Mapping
from typing import Any

from cendor.contextkit import Block, Context

from torture.drivers.wire import serve, spoken


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Rules and question pinned, items by their relevance."""
    context = Context(budget_tokens=given["budget"], model="gpt-4o")
    context.add(Block(given["instructions"], priority=100, pin=True, role="system"))
    if given["kind"] == "chat":
        context.add(Block(messages=list(given["messages"][1:]), priority=3, evict="drop_oldest"))
    else:
        for item in given["items"]:
            evict = "truncate" if item["type"] == "tool_result" else "drop_oldest"
            context.add(Block(item["text"], priority=int(item["relevance"] * 90), evict=evict))
        context.add(Block(given["question"], priority=99, pin=True))
    messages = context.assemble()
    return {"text": spoken(messages), "messages": messages}


if __name__ == "__main__":
    serve(ask, chat=True, pack=True)
