"""llama-index's Memory over its in-memory database."""

from collections.abc import Callable
from typing import Any

from llama_index.core.memory import Memory
from llama_index_buffer import ENCODING, reply, turns

Record = dict[str, Any]


def prepare(request: Record) -> Callable[[], Record]:
    """The call puts the turns and gets what fits."""
    memory = Memory.from_defaults(
        token_limit=request["budget"], chat_history_token_ratio=1.0, tokenizer_fn=ENCODING.encode_ordinary
    )
    ENCODING.encode_ordinary("warm")
    messages = turns(request)

    def call() -> Record:
        memory.put_messages(messages)
        return reply(memory.get())

    return call
