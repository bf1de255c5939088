"""Asks contextgc, which compacts turns and knows no budget."""

from collections.abc import Mapping
from typing import Any

from contextgc import compile_messages

from torture.drivers.wire import BY_BUDGET, BY_RELEVANCE, serve, spoken, turns


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Compile the turns."""
    messages, _ = compile_messages(turns(given))
    return {"text": spoken(messages), "messages": messages}


if __name__ == "__main__":
    serve(ask, chat=True, pack=True, foreign=BY_RELEVANCE | BY_BUDGET)
