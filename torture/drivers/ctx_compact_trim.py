"""Asks ctx-compact, which trims plain turns."""

from collections.abc import Mapping
from typing import Any

from ctx_compact import compact

from torture.drivers.wire import BY_RELEVANCE, serve, spoken, turns


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the first and the last turn."""
    result = compact(turns(given), max_tokens=given["budget"], keep_head=1, keep_tail=1)
    messages = list(result.messages)
    return {"text": spoken(messages), "messages": messages, "claimed": result.tokens_after}


if __name__ == "__main__":
    serve(ask, chat=True, pack=True, foreign=BY_RELEVANCE)
