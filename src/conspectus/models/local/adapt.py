"""What is done to a conversation so that a chat template can write it without losing a word; it finds nothing out."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from conspectus.core.message import Message, Part, Prompt, Role, TextPart, ToolCallPart, ToolResultPart, ToolSchema

Adaptation = Callable[[Prompt], Prompt]

_SILENCE = "…"
_ID_LENGTH = 9
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


def shorten_ids(prompt: Prompt) -> Prompt:
    """Call ids of nine letters and digits, as Mistral's templates demand; the same id always becomes the same."""
    return replace(prompt, messages=tuple(_mapped(message, _with_short_id) for message in prompt.messages))


def write_calls(prompt: Prompt) -> Prompt:
    """Calls as text of the assistant and their results as text of the user, for templates that know neither."""
    return replace(prompt, messages=tuple(turn for message in prompt.messages for turn in _calls_as_text(message)))


def write_spoken_calls(prompt: Prompt) -> Prompt:
    """The same, only for calls beside which the assistant also said something, and for their results."""
    spoken = {
        part.call_id
        for message in prompt.messages
        if message.text.strip()
        for part in message.parts
        if isinstance(part, ToolCallPart)
    }
    turns = (
        _calls_as_text(message) if spoken & _ids(message) else (message,)
        for message in prompt.messages
    )  # fmt: skip
    return replace(prompt, messages=tuple(turn for written in turns for turn in written))


def split_spoken_calls(prompt: Prompt) -> Prompt:
    """What the assistant said beside a call as a turn of its own before it."""
    turns: list[Message] = []
    for message in prompt.messages:
        calls = tuple(part for part in message.parts if isinstance(part, ToolCallPart))
        rest = tuple(part for part in message.parts if not isinstance(part, ToolCallPart))
        if calls and message.text.strip():
            turns += (replace(message, parts=rest), replace(message, parts=calls))
        else:
            turns.append(message)
    return replace(prompt, messages=tuple(turns))


def single_calls(prompt: Prompt) -> Prompt:
    """One call a turn, each followed by its own results."""
    turns: list[Message] = []
    waiting: list[ToolCallPart] = []
    for message in prompt.messages:
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        if len(calls) > 1:
            turns.append(replace(message, parts=tuple(p for p in message.parts if p not in calls[1:])))
            waiting = calls[1:]
            continue
        for result in results:
            asked = [call for call in waiting if call.call_id == result.call_id]
            turns += [Message(role=Role.ASSISTANT, parts=(call,)) for call in asked]
            waiting = [call for call in waiting if call not in asked]
            turns.append(replace(message, parts=(result,)))
        rest = tuple(part for part in message.parts if part not in results)
        if rest or not results:
            turns.append(replace(message, parts=rest))
    return replace(prompt, messages=tuple(turns))


def write_tools(prompt: Prompt) -> Prompt:
    """Tools as text at the end of the system turn, for templates that would leave them out."""
    if not prompt.tools:
        return prompt
    written = "".join(f"\n\n{_tool_line(tool)}" for tool in prompt.tools)
    first = next((n for n, message in enumerate(prompt.messages) if message.role is Role.SYSTEM), None)
    if first is None:
        opening = _text(Role.SYSTEM, written.lstrip("\n"))
        return replace(prompt, messages=(opening, *prompt.messages), tools=())
    system = prompt.messages[first]
    longer = replace(system, parts=(*system.parts, TextPart(text=written)))
    return replace(prompt, messages=(*prompt.messages[:first], longer, *prompt.messages[first + 1 :]), tools=())


def fold_system(prompt: Prompt) -> Prompt:
    """The system turn at the head of the first turn, where the user speaks first, else as a turn of the user."""
    system = "\n\n".join(message.text for message in prompt.messages if message.role is Role.SYSTEM)
    turns = [message for message in prompt.messages if message.role is not Role.SYSTEM]
    if not system:
        return replace(prompt, messages=tuple(turns))
    if turns and turns[0].role is Role.USER and not _ids(turns[0]):
        head = replace(turns[0], parts=(TextPart(text=f"{system}\n\n"), *turns[0].parts))
        return replace(prompt, messages=(head, *turns[1:]))
    return replace(prompt, messages=(_text(Role.USER, system), *turns))


def merge_roles(prompt: Prompt) -> Prompt:
    """Consecutive turns of the user, or of the assistant, as one."""
    turns: list[Message] = []
    for message in prompt.messages:
        spoken = message.role in (Role.USER, Role.ASSISTANT) and not _ids(message)
        if turns and spoken and turns[-1].role is message.role and not _ids(turns[-1]):
            turns[-1] = replace(message, parts=(*turns[-1].parts, TextPart(text="\n\n"), *message.parts))
        else:
            turns.append(message)
    return replace(prompt, messages=tuple(turns))


def alternate_around_calls(prompt: Prompt) -> Prompt:
    """A short turn of the other side where only calls and results stand between two turns of one side.

    Templates that want the two sides to alternate do not see calls and results.
    """
    turns: list[Message] = []
    last, after = None, 0  # who spoke last, and where the turns behind that begin
    for message in prompt.messages:
        if message.role in (Role.USER, Role.ASSISTANT) and not _ids(message):
            if message.role is last and message.role is Role.USER:
                turns.append(_text(Role.ASSISTANT, _SILENCE))
            elif message.role is last:
                turns.insert(after, _text(Role.USER, _SILENCE))
            last, after = message.role, len(turns) + 1
        turns.append(message)
    return replace(prompt, messages=tuple(turns))


def open_by_user(prompt: Prompt) -> Prompt:
    """A turn of the user in front where the assistant would speak first."""
    first = next((n for n, message in enumerate(prompt.messages) if message.role is not Role.SYSTEM), None)
    if first is None or prompt.messages[first].role is not Role.ASSISTANT:
        return prompt
    messages = (*prompt.messages[:first], _text(Role.USER, _SILENCE), *prompt.messages[first:])
    return replace(prompt, messages=messages)


ADAPTATIONS: Mapping[str, Adaptation] = {
    "short call ids": shorten_ids,
    "calls as text": write_calls,
    "spoken calls as text": write_spoken_calls,
    "spoken calls split": split_spoken_calls,
    "one call a turn": single_calls,
    "tools in the system turn": write_tools,
    "system in the first user turn": fold_system,
    "one turn a role": merge_roles,
    "the user first": open_by_user,
    "turns alternate around calls": alternate_around_calls,
}
"""Every adaptation by its name, in the order they are applied."""


MARKS: Mapping[str, tuple[str, ...]] = {
    "calls as text": ("[call of ", "[result of "),
    "spoken calls as text": ("[call of ", "[result of "),
    "tools in the system turn": ("[tool schema]",),
}
"""What an adaptation structures a chat by; in data these would look like it."""


def adapted(prompt: Prompt, names: Sequence[str]) -> Prompt:
    """`prompt` after the adaptations called `names`."""
    for name, adaptation in ADAPTATIONS.items():
        if name in names:
            prompt = adaptation(prompt)
    return prompt


def _calls_as_text(message: Message) -> Iterator[Message]:
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    rest = tuple(part for part in message.parts if not isinstance(part, ToolResultPart))
    for result in results:
        failed = " (failed)" if result.is_error else ""
        yield _text(Role.USER, f"[result of {result.name or result.call_id}{failed}]\n{result.text}")
    if rest or not results:
        spoken = tuple(_written(part, place > 0) for place, part in enumerate(rest))
        yield replace(message, role=Role.USER if message.role is Role.TOOL else message.role, parts=spoken)


def _written(part: Part, follows: bool) -> Part:
    if not isinstance(part, ToolCallPart):
        return part
    return TextPart(text=f"{chr(10) if follows else ''}[call of {part.name}] {part.arguments}")


def _tool_line(tool: ToolSchema) -> str:
    return f"[tool schema] {tool.name}: {tool.description}\n{tool.parameters}"


def _mapped(message: Message, change: Callable[[Part], Part]) -> Message:
    return replace(message, parts=tuple(map(change, message.parts)))


def _with_short_id(part: Part) -> Part:
    return replace(part, call_id=_short(part.call_id)) if isinstance(part, ToolCallPart | ToolResultPart) else part


def _short(call_id: str) -> str:
    if len(call_id) == _ID_LENGTH and call_id.isascii() and call_id.isalnum():
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode()).digest()[:8], "big")
    digits: list[str] = []
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, len(_LETTERS))
        digits.append(_LETTERS[digit])
    return "".join(digits)


def _ids(message: Message) -> set[str]:
    return {part.call_id for part in message.parts if isinstance(part, ToolCallPart | ToolResultPart)}


def _text(role: Role, text: str) -> Message:
    return Message(role=role, parts=(TextPart(text=text),))
