"""The rules that every provider's API has for turns; it mends nothing."""

from collections.abc import Sequence

from conspectus.core.message import Message, Role, TextPart, ToolCallPart, ToolResultPart
from conspectus.errors import InputError
from conspectus.sources.history.repair import is_object


def validate_turns(messages: Sequence[Message]) -> None:
    """Refuse turns that a provider would refuse.

    Raises:
        InputError: a turn is empty or of the system; a call has no result right behind its turn, two, or no object as
            arguments; a result has no call; an id is taken. `line` is the 1-based number of the turn.
    """
    open_calls: set[str] = set()
    taken: set[str] = set()
    for number, message in enumerate(messages, 1):
        results = [part.call_id for part in message.parts if isinstance(part, ToolResultPart)]
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        if message.role is not Role.TOOL and open_calls:
            raise _fault(number, f"{len(open_calls)} calls before it have no result")
        _check_turn(message, number, calls, results)
        for call_id in results:
            if call_id not in open_calls:
                raise _fault(number, "a result without an open call")
            open_calls.remove(call_id)
        for call in calls:
            if call.call_id in taken or not call.call_id:
                raise _fault(number, "a call without an id of its own")
            taken.add(call.call_id)
            open_calls.add(call.call_id)
    if open_calls:
        raise _fault(len(messages), f"{len(open_calls)} calls have no result")


def _check_turn(message: Message, number: int, calls: Sequence[ToolCallPart], results: Sequence[str]) -> None:
    if not message.parts or any(isinstance(part, TextPart) and not part.text.strip() for part in message.parts):
        raise _fault(number, "an empty turn, or blank text in one")
    if message.role is Role.SYSTEM:
        raise _fault(number, "a system turn inside a conversation")
    if calls and message.role is not Role.ASSISTANT:
        raise _fault(number, f"a call in a turn of {message.role}")
    if (message.role is Role.TOOL) != bool(results) or (results and len(results) < len(message.parts)):
        raise _fault(number, "results stand in turns of their own")
    if not all(is_object(call.arguments) for call in calls):
        raise _fault(number, "arguments that are no JSON object")


def _fault(number: int, message: str) -> InputError:
    return InputError("history", message, line=number)
