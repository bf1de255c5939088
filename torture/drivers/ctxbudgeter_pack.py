"""Asks ctxbudgeter's ContextPack, relevance supplied."""

from collections.abc import Mapping
from typing import Any

from ctxbudgeter import ContextItem, ContextPack

from torture.drivers.wire import serve, spoken

_KINDS = {"evidence": "retrieval", "memory": "memory", "tool_result": "tool_result"}


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Compile and take the messages for OpenAI."""
    pack = ContextPack(model="gpt-4o", token_budget=given["budget"], reserved_output_tokens=0)
    pack.add_item(ContextItem(name="rules", content=given["instructions"], kind="system", required=True, priority=100))
    pack.add_item(ContextItem(name="task", content=given["question"], kind="task", required=True, priority=100))
    for item in given["items"]:
        pack.add_item(
            ContextItem(
                name=item["id"],
                content=item["text"],
                kind=_KINDS.get(item["type"], "other"),
                relevance=item["relevance"],
                trust_level=item.get("trust", "untrusted"),
            )
        )
    compiled = pack.compile()
    messages = compiled.to_openai_messages()
    claimed = getattr(compiled, "total_tokens", None)
    return {"text": spoken(messages), "messages": messages, "claimed": claimed}


if __name__ == "__main__":
    serve(ask, chat=False, pack=True)
