"""The rungs of the reduction ladder: exact, declared, recorded; never for anything mandatory."""

import json
from collections.abc import Iterable
from dataclasses import replace

import msgspec

from conspectus.core.item import ContextItem, Kind
from conspectus.core.message import Message, Part, ToolResultPart
from conspectus.core.spec import ReductionPolicy
from conspectus.text.graphemes import cut_head, cut_tail


def reducible(item: ContextItem, rung: str) -> bool:
    """Whether the rung has anything to do for this item; mandatory items are out of reach of every rung."""
    if item.mandatory:
        return False
    if rung == "shorten":
        return item.kind is Kind.TOOL_RESULT or any(_results(item.messages))
    return rung == "names" and item.kind is Kind.TOOL_SCHEMA


def reduced(item: ContextItem, rung: str, policy: ReductionPolicy, tokens: int) -> ContextItem | None:
    """The item one rung lower, or None when that would not make it smaller; `tokens` is what it costs now."""
    if rung == "names":
        return _named(item)
    per_token = max(len(item.content) / max(tokens, 1), 1.0)
    head, tail = int(policy.head * per_token), int(policy.tail * per_token)
    pointer = item.source_uri or item.item_id
    content = shortened(item.content, head, tail, pointer)
    if content is None:
        return None
    messages = tuple(
        replace(message, parts=tuple(_shortened_part(part, head, tail, pointer) for part in message.parts))
        for message in item.messages
    )
    return replace(item, content=content, messages=messages)


def shortened(text: str, head: int, tail: int, pointer: str) -> str | None:
    """Head and tail of `text` behind a notice that says what is missing and where the whole is; None if no shorter.

    Cuts fall between graphemes. `head` and `tail` are characters; the notice stands first, where no cut can hide it.
    """
    start, end = cut_head(text, head), cut_tail(text, tail)
    left_out = len(text) - len(start) - len(end)
    notice = f"[shortened: {left_out:,} of {len(text):,} characters left out; the whole is {pointer}]"
    short = f"{notice}\n{start}\n[…]\n{end}"
    return short if left_out > 0 and len(short) < len(text) else None


def _results(messages: Iterable[Message]) -> Iterable[ToolResultPart]:
    return (part for message in messages for part in message.parts if isinstance(part, ToolResultPart))


def _shortened_part(part: Part, head: int, tail: int, pointer: str) -> Part:
    if not isinstance(part, ToolResultPart):
        return part
    text = shortened(part.text, head, tail, pointer)
    return part if text is None else replace(part, text=text)


def _named(item: ContextItem) -> ContextItem | None:
    declared = msgspec.json.decode(item.content, type=dict[str, object])
    content = json.dumps({"name": declared["name"]}, ensure_ascii=False)
    return replace(item, content=content) if len(content) < len(item.content) else None
