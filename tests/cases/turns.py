"""Turns of conversations for the cases: a question, an answered call, several calls at once."""

from conspectus.core.item import ContextItem, Kind
from conspectus.core.message import Message, Role, TextPart, ToolCallPart, ToolResultPart
from tests.contract.cases import data


def answered(name: str, *results: str) -> tuple[Message, ...]:
    """A turn that calls `name` once for each result, and the results."""
    calls = tuple(ToolCallPart(call_id=f"{name}-{n}", name=name, arguments='{"n": 1}') for n in range(len(results)))
    answers = tuple(
        Message(role=Role.TOOL, parts=(ToolResultPart(call_id=call.call_id, name=name, text=text),))
        for call, text in zip(calls, results, strict=True)
    )
    return (Message(role=Role.ASSISTANT, parts=calls), *answers)


def said(role: Role, text: str) -> tuple[Message, ...]:
    """One plain turn."""
    return (Message(role=role, parts=(TextPart(text=text),)),)


def on_offer(name: str) -> ContextItem:
    """A tool that can be asked for: providers take native calls only beside declared tools."""
    return data(f"tool/{name}", Kind.TOOL_SCHEMA, f'{{"name":"{name}","parameters":{{"type":"object"}}}}')


def unit(number: int, messages: tuple[Message, ...], content: str = "") -> ContextItem:
    """A unit of history: turns that enter together or not at all."""
    readable = content or "\n".join(
        part.text for message in messages for part in message.parts if isinstance(part, TextPart | ToolResultPart)
    )
    return data(f"history/{number}", Kind.HISTORY, readable or "(call)", messages=messages)
