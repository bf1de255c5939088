"""Asks langchain-core's trim_messages with its approximate counter, its only one without a model."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import convert_to_messages, convert_to_openai_messages, trim_messages
from langchain_core.messages.utils import count_tokens_approximately

from torture.drivers.wire import BY_RELEVANCE, serve, spoken, turns


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the last turns and the system turn."""
    kept = trim_messages(
        convert_to_messages(turns(given)),
        max_tokens=given["budget"],
        token_counter=count_tokens_approximately,
        strategy="last",
        include_system=True,
        start_on="human",
    )
    messages = convert_to_openai_messages(kept)
    return {"text": spoken(messages), "messages": messages, "claimed": count_tokens_approximately(kept)}


if __name__ == "__main__":
    serve(ask, chat=True, pack=True, foreign=BY_RELEVANCE)
