"""ctxbudgeter's ContextPack with tiktoken."""

from collections.abc import Callable
from typing import Any

from ctxbudgeter import ContextPack

Record = dict[str, Any]


def prepare(request: Record) -> Callable[[], Record]:
    """The call adds and compiles."""
    warm = ContextPack(model="gpt-4", token_budget=1000, reserved_output_tokens=0)
    warm.add(name="task", content="warm", kind="task", required=True)
    warm.compile()

    def call() -> Record:
        pack = ContextPack(model="gpt-4", token_budget=request["budget"], reserved_output_tokens=0)
        pack.add(name="task", content=request["question"], kind="task", required=True)
        for item in request["items"]:
            pack.add(
                name=item["id"], content=item["text"], priority=round(item["value"] * 100), relevance=item["value"]
            )
        compiled = pack.compile()
        return {"text": compiled.as_text(), "claimed": compiled.used_tokens}

    return call
