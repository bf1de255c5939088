"""cendor-contextkit's Context, whole blocks by priority."""

from collections.abc import Callable
from typing import Any

from cendor.contextkit import Block, Context

Record = dict[str, Any]


def prepare(request: Record) -> Callable[[], Record]:
    """The call adds and assembles."""
    warm = Context(budget_tokens=1000, model="gpt-4")
    warm.add(Block("warm", pin=True))
    warm.assemble()

    def call() -> Record:
        context = Context(budget_tokens=request["budget"], model="gpt-4")
        context.add(Block(request["question"], pin=True))
        for item in request["items"]:
            context.add(Block(item["text"], priority=round(item["value"] * 1_000_000)))
        messages = context.assemble()
        claimed = context.report().used
        return {"messages": [[message["role"], message["content"]] for message in messages], "claimed": claimed}

    return call
