"""langchain-core's trim_messages with a counter that is exact."""

from collections.abc import Callable, Sequence
from typing import Any

import tiktoken
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, trim_messages

Record = dict[str, Any]
ENCODING = tiktoken.get_encoding("cl100k_base")


def count(messages: Sequence[BaseMessage]) -> int:
    """Tokens as OpenAI's cookbook counts them."""
    return sum(len(ENCODING.encode_ordinary(str(message.content))) + 4 for message in messages) + 3


def prepare(request: Record, counter: Callable[..., int] = count) -> Callable[[], Record]:
    """The call over alternating turns."""
    kinds = (HumanMessage, AIMessage)
    messages = [kinds[number % 2](item["text"]) for number, item in enumerate(request["items"])]
    trim_messages(messages[:1], max_tokens=request["budget"], token_counter=counter, strategy="last")

    def call() -> Record:
        kept = trim_messages(messages, max_tokens=request["budget"], token_counter=counter, strategy="last")
        return {"messages": [[message.type, message.content] for message in kept], "claimed": counter(kept)}

    return call
