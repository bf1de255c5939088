"""Asks astromesh-context's engine, scores supplied."""

import asyncio
from collections.abc import Mapping
from typing import Any

from astromesh_context import CallableSource, ContextEngine, ContextItem, HistorySource, ScoredKnapsack, StaticSource

from torture.drivers.wire import serve, spoken


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Build and take the messages."""
    sources: list[Any] = [StaticSource(given["instructions"], kind="instruction", pinned=True)]
    if given["kind"] == "chat":
        sources.append(HistorySource(list(given["messages"][1:])))
    else:
        items = [
            ContextItem(
                id=item["id"],
                content=item["text"],
                source="kb",
                kind="knowledge",
                stability="volatile",
                score=item["relevance"],
            )
            for item in given["items"]
        ]
        sources.append(CallableSource(lambda *_args, **_given: items, name="kb"))
    engine = ContextEngine(sources=sources, policy=ScoredKnapsack(), budget=given["budget"])
    window = asyncio.run(engine.build(given["question"]))
    messages = window.to_messages()
    claimed = getattr(window, "total_tokens", None)
    return {"text": spoken(messages), "messages": messages, "claimed": claimed}


if __name__ == "__main__":
    serve(ask, chat=True, pack=True)
