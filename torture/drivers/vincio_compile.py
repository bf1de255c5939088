"""Asks vincio's context compiler; what is read is its evidence between the rules and the question."""

import asyncio
from collections.abc import Mapping
from typing import Any

from vincio.context.compiler import ContextCompiler
from vincio.core.types import Budget, EvidenceItem, Instruction, Objective, UserInput

from torture.drivers.wire import serve


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Compile with its defaults; the budget is its limit of input tokens."""
    evidence = [
        EvidenceItem(id=item["id"], source_id=item["id"], text=item["text"], relevance=item["relevance"])
        for item in given["items"]
    ]
    compiled = asyncio.run(
        ContextCompiler().compile(
            objective=Objective(text=given["question"]),
            user_input=UserInput(text=given["question"]),
            instructions=[Instruction(text=given["instructions"])],
            evidence=evidence,
            budget=Budget(max_input_tokens=given["budget"], max_output_tokens=1),
        )
    )
    packet = compiled.packet
    shown = "\n".join(packet.evidence_text(one["id"]) or "" for one in packet.evidence_items)
    flags = "\n".join(f"conflict: {conflict}" for conflict in compiled.conflicts)
    return {"text": f"{given['instructions']}\n{shown}\n{flags}\n{given['question']}"}


if __name__ == "__main__":
    serve(ask, chat=False, pack=True, foreign=frozenset({"needs", "refuse"}))
