"""contextcram's Packer with tiktoken, whole items by priority."""

from collections.abc import Callable
from typing import Any

from contextcram import Packer, tiktoken_tokenizer

Record = dict[str, Any]


def prepare(request: Record) -> Callable[[], Record]:
    """The call adds and fits."""
    tokenizer = tiktoken_tokenizer("gpt-4")
    tokenizer.count("warm")

    def call() -> Record:
        packer = Packer(budget=request["budget"], tokenizer=tokenizer)
        packer.add(request["question"], priority="required")
        for item in request["items"]:
            packer.add(item["text"], priority=round(item["value"] * 1_000_000), strategy="drop", name=item["id"])
        result = packer.fit()
        return {"text": result.text, "claimed": result.used_tokens}

    return call
