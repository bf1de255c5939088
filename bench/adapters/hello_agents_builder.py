"""hello-agents' ContextBuilder, every candidate an additional packet, its relevance threshold off."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from hello_agents.context.builder import ContextBuilder, ContextConfig, ContextPacket, count_tokens

Record = dict[str, Any]


def prepare(request: Record) -> Callable[[], Record]:
    """The call with packets made inside it, since making one is what counts its tokens."""
    config = ContextConfig(max_tokens=request["budget"], reserve_ratio=0.0, min_relevance=0.0)
    builder = ContextBuilder(config=config)
    count_tokens("warm")
    now = datetime.now()  # noqa: DTZ005 - it compares with moments without a zone

    def call() -> Record:
        packets = [
            ContextPacket(
                content=item["text"],
                timestamp=now - timedelta(seconds=item["age"]),
                metadata={"type": "retrieval"},
            )
            for item in request["items"]
        ]
        arguments = {"user_query": request["question"], "system_instructions": "Be precise."}
        text = builder.build(**arguments, additional_packets=packets)
        kept = text[text.find("[Evidence]") :]
        claimed = sum(packet.token_count for packet in packets if packet.content in kept)
        return {"text": text, "claimed": claimed}

    return call
