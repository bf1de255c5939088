"""llama-index's ChatMemoryBuffer."""

from collections.abc import Callable
from typing import Any

import tiktoken
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer

Record = dict[str, Any]


ENCODING = tiktoken.get_encoding("cl100k_base")


def turns(request: Record) -> list[ChatMessage]:
    """The candidates as alternating turns."""
    return [
        ChatMessage(role=("user", "assistant")[number % 2], content=item["text"])
        for number, item in enumerate(request["items"])
    ]


def reply(kept: list[ChatMessage]) -> Record:
    """What is handed over; the claim is the memory's own way of counting."""
    joined = " ".join(str(message.content) for message in kept)
    return {
        "messages": [[message.role.value, str(message.content)] for message in kept],
        "claimed": len(ENCODING.encode_ordinary(joined)),
    }


def prepare(request: Record) -> Callable[[], Record]:
    """The call over alternating turns."""
    memory = ChatMemoryBuffer.from_defaults(
        chat_history=turns(request), token_limit=request["budget"], tokenizer_fn=ENCODING.encode_ordinary
    )
    ENCODING.encode_ordinary("warm")
    return lambda: reply(memory.get())
