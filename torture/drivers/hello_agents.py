"""Asks the context builder of hello-agents, whose packets are the fixture's items."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hello_agents.context.builder import ContextBuilder, ContextConfig, ContextPacket

from torture.drivers.wire import serve

_TYPES = {"evidence": "retrieval", "memory": "related_memory"}


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Build with its defaults and the whole budget."""
    packets = [_packet(item) for item in given["items"]]
    builder = ContextBuilder(config=ContextConfig(max_tokens=given["budget"], reserve_ratio=0.0))
    text = builder.build(
        user_query=given["question"], system_instructions=given["instructions"], additional_packets=packets
    )
    return {"text": text}


def _packet(item: Mapping[str, Any]) -> ContextPacket:
    when = {"timestamp": datetime.fromisoformat(item["time"])} if "time" in item else {}
    kind = _TYPES.get(item["type"], item["type"])
    return ContextPacket(
        content=item["text"], relevance_score=item["relevance"], metadata={"type": kind, "source": item["id"]}, **when
    )


if __name__ == "__main__":
    serve(ask, chat=False, pack=True)
