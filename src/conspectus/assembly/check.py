"""What is malformed never enters: empty items, tools that are none, exchanges with a call or result missing."""

import re
from collections.abc import Sequence

import msgspec

from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import Decision, Reason, Stage, StageResult, Verdict
from conspectus.core.message import Message, ToolCallPart, ToolResultPart
from conspectus.errors import InputError

_TOOL_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")


class _Declared(msgspec.Struct, frozen=True):
    name: str
    description: str = ""


def check(items: Sequence[ContextItem]) -> StageResult:
    """Leave out every item that could only break the payload.

    Raises:
        InputError: a mandatory item is malformed.
    """
    decisions: list[Decision] = []
    for item in filter(_needs_a_look, items):
        fault = _fault(item)
        if fault and item.mandatory:
            raise InputError(item.item_id, f"is mandatory and {fault}", field="content")
        if fault:
            decisions.append(
                Decision(
                    subject=item.item_id,
                    stage=Stage.CLEAN,
                    verdict=Verdict.OMITTED,
                    reason=Reason.MALFORMED,
                    detail=fault,
                )
            )
    if not decisions:
        return StageResult(items=tuple(items))
    bad = {decision.subject for decision in decisions}
    return StageResult(items=tuple(i for i in items if i.item_id not in bad), decisions=tuple(decisions))


def _needs_a_look(item: ContextItem) -> bool:
    return bool(item.messages) or item.kind is Kind.TOOL_SCHEMA or not item.content or item.content.isspace()


def _fault(item: ContextItem) -> str:
    if item.messages:
        return "" if is_whole(item.messages) else "holds a call without result or a result without call"
    if not item.content or item.content.isspace():
        return "is empty"
    if item.kind is Kind.TOOL_SCHEMA:
        return _tool_fault(item.content)
    return ""


def _tool_fault(content: str) -> str:
    try:
        declared = msgspec.json.decode(content, type=_Declared)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return "is no tool schema: a JSON object with a name"
    return "" if _TOOL_NAME.fullmatch(declared.name) else "has a tool name that is no identifier"


def is_whole(messages: Sequence[Message]) -> bool:
    """Whether every call in the turns has one result after it, and every result its call before it."""
    open_calls: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                open_calls.append(part.call_id)
            elif isinstance(part, ToolResultPart):
                if part.call_id not in open_calls:
                    return False
                open_calls.remove(part.call_id)
    return not open_calls
