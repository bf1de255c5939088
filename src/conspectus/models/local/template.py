"""A chat template, rendered as the model's own server renders it; it counts nothing."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from jinja2 import TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from conspectus.core.message import ImagePart, Message, Part, Prompt, Role, TextPart, ToolCallPart, ToolResultPart
from conspectus.errors import IncompatibleSpec
from conspectus.models.wire import openai_tools

Turn = dict[str, Any]


class ChatTemplate:
    """One Jinja chat template and how it has to be fed.

    A template that refuses a system turn gets it at the head of the first user turn; one that wants roles to alternate
    gets consecutive turns of one role as one. What was found to be needed stands in `adaptations`.
    """

    def __init__(self, source: str, *, bos: str, eos: str, moment: datetime) -> None:
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.filters["tojson"] = _to_json
        self.source = source
        self._template = environment.from_string(source)
        self._given: dict[str, object] = {
            "bos_token": bos,
            "eos_token": eos,
            "raise_exception": _raise,
            "strftime_now": moment.strftime,
        }
        self.adaptations = self._adapt()

    def render(self, prompt: Prompt) -> str:
        """The text the server makes of the prompt.

        Raises:
            IncompatibleSpec: the template has no place for these turns.
        """
        turns = [turn for message in prompt.messages for turn in _turns(message)]
        for adaptation in self.adaptations:
            turns = _ADAPTATIONS[adaptation](turns)
        try:
            return self._render(turns, openai_tools(prompt.tools))
        except TemplateError as error:
            raise IncompatibleSpec("chat template", f"it cannot write this conversation: {error}") from error

    def _render(self, turns: Sequence[Turn], tools: Sequence[Turn]) -> str:
        return self._template.render(
            messages=list(turns), tools=list(tools) or None, add_generation_prompt=True, **self._given
        )

    def _adapt(self) -> tuple[str, ...]:
        system = [{"role": "system", "content": "S-y-s"}, {"role": "user", "content": "U-s-r"}]
        found: list[str] = []
        if "S-y-s" not in self._tried(system):
            found.append("system in first user turn")
        if not self._tried([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]):
            found.append("one turn per role")
        return tuple(found)

    def _tried(self, turns: Sequence[Turn]) -> str:
        try:
            return self._render(turns, ())
        except TemplateError:
            return ""


def _to_json(value: object, indent: int | None = None, **_: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise(message: str) -> str:
    raise TemplateError(message)


def _turns(message: Message) -> list[Turn]:
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    turns: list[Turn] = [
        {"role": "tool", "tool_call_id": part.call_id, "name": part.name, "content": part.text} for part in results
    ]
    calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
    text = "".join(_text(part) for part in message.parts if not isinstance(part, ToolCallPart | ToolResultPart))
    if text or calls:
        role = Role.USER if message.role is Role.TOOL else message.role
        turn: Turn = {"role": role.value, "content": text}
        if calls:
            turn["tool_calls"] = [_call(call) for call in calls]
        turns.append(turn)
    return turns


def _text(part: Part) -> str:
    match part:
        case TextPart():
            return part.text
        case ImagePart():
            raise IncompatibleSpec("chat template", "pictures cannot be counted for this model; leave them out")
        case _:
            raise IncompatibleSpec("chat template", f"it has no place for a {type(part).__name__}")


def _call(call: ToolCallPart) -> Turn:
    try:
        arguments: object = json.loads(call.arguments)
    except ValueError:
        arguments = call.arguments
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _fold_system(turns: list[Turn]) -> list[Turn]:
    system = "\n\n".join(turn["content"] for turn in turns if turn["role"] == "system")
    rest = [turn for turn in turns if turn["role"] != "system"]
    first = next((place for place, turn in enumerate(rest) if turn["role"] == "user"), None)
    if not system or first is None:
        return rest
    return [
        {**turn, "content": f"{system}\n\n{turn['content']}"} if place == first else turn
        for place, turn in enumerate(rest)
    ]


def _merge_roles(turns: list[Turn]) -> list[Turn]:
    merged: list[Turn] = []
    for turn in turns:
        plain = "tool_calls" not in turn and turn["role"] != "tool"
        if merged and plain and merged[-1]["role"] == turn["role"] and "tool_calls" not in merged[-1]:
            merged[-1] = {**turn, "content": f"{merged[-1]['content']}\n\n{turn['content']}"}
        else:
            merged.append(turn)
    return merged


_ADAPTATIONS: dict[str, Callable[[list[Turn]], list[Turn]]] = {
    "system in first user turn": _fold_system,
    "one turn per role": _merge_roles,
}
