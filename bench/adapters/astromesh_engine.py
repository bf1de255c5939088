"""astromesh-context's ContextEngine with tiktoken, scores supplied."""

import asyncio
from collections.abc import Callable
from typing import Any

from astromesh_context import ContextEngine, ScoredKnapsack
from astromesh_context.tokens import TiktokenTokenizer
from astromesh_context.types import ContextItem

Record = dict[str, Any]


class Given:
    """The candidates as a source."""

    name = "given"

    def __init__(self, items: list[Record]) -> None:
        self.items = items

    def candidates(self, query: str, ctx: object) -> list[ContextItem]:  # noqa: ARG002
        """All of them."""
        return [
            ContextItem(item["id"], item["text"], "given", "knowledge", "volatile", score=item["value"])
            for item in self.items
        ]


def prepare(request: Record) -> Callable[[], Record]:
    """The call builds a window."""
    tokenizer = TiktokenTokenizer()
    tokenizer.count("warm")

    def call() -> Record:
        engine = ContextEngine(
            [Given(request["items"])],
            budget=request["budget"],
            policy=ScoredKnapsack(),
            tokenizer=tokenizer,
            source_timeout=600.0,
        )
        window = asyncio.run(engine.build(request["question"]))
        messages = [[message["role"], message["content"]] for message in window.to_messages()]
        return {"messages": messages, "claimed": window.tokens_used}

    return call
