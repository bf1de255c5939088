"""Asks llama-index's chat memory buffer, with the vocabulary it prefers."""

from collections.abc import Mapping
from typing import Any

import tiktoken
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer

from torture.drivers.wire import BY_RELEVANCE, serve, spoken, turns


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Put every turn in and take out what it would send."""
    encode = tiktoken.get_encoding("o200k_base").encode
    buffer = ChatMemoryBuffer.from_defaults(
        token_limit=given["budget"], tokenizer_fn=lambda text: encode(text, disallowed_special=())
    )
    for turn in turns(given):
        extra = {name: turn[name] for name in ("tool_calls", "tool_call_id") if name in turn}
        buffer.put(ChatMessage(role=turn["role"], content=turn.get("content"), additional_kwargs=extra))
    messages = [
        {"role": message.role.value, "content": message.content, **message.additional_kwargs}
        for message in buffer.get()
    ]
    return {"text": spoken(messages), "messages": messages}


if __name__ == "__main__":
    serve(ask, chat=True, pack=True, foreign=BY_RELEVANCE)
