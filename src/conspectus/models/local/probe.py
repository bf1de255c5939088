"""Finds out what a chat template needs and which strings structure it, by rendering small conversations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from conspectus.core.message import Message, Prompt, Role, TextPart, ToolCallPart, ToolResultPart, ToolSchema
from conspectus.errors import IncompatibleSpec
from conspectus.models.local.adapt import adapted
from conspectus.models.local.conversation import Spelling, spelled, spelled_tools
from conspectus.models.local.template import ChatTemplate

_AROUND_CALLS = "turns alternate around calls"
_TEXT_ARGUMENTS = "arguments as text"
_MARK = re.compile(r"QZ[a-z0-9]+QZ")


def _mark(name: str) -> str:
    """A word that no template writes by itself and every template leaves as it is."""
    return f"QZ{name}QZ"


def _say(role: Role, name: str) -> Message:
    return Message(role=role, parts=(TextPart(text=_mark(name)),))


def _call(number: int) -> ToolCallPart:
    arguments = f'{{"{_mark(f"key{number}")}":"{_mark(f"value{number}")}"}}'
    return ToolCallPart(call_id=f"call_{number}", name=_mark(f"function{number}"), arguments=arguments)


def _result(number: int) -> ToolResultPart:
    text = _mark(f"result{number}")
    return ToolResultPart(call_id=f"call_{number}", name=_mark(f"function{number}"), text=text)


_SYSTEM, _USER, _AGAIN = _say(Role.SYSTEM, "system"), _say(Role.USER, "user"), _say(Role.USER, "again")
_ANSWER, _MORE = _say(Role.ASSISTANT, "answer"), _say(Role.ASSISTANT, "more")
_CALLED = Message(role=Role.ASSISTANT, parts=(_call(1),))
_CALLED_TWICE = Message(role=Role.ASSISTANT, parts=(_call(1), _call(2)))
_SPOKEN = Message(role=Role.ASSISTANT, parts=(TextPart(text=_mark("spoken")), _call(1)))
_RETURNED = Message(role=Role.TOOL, parts=(_result(1),))
_RETURNED_TWICE = Message(role=Role.TOOL, parts=(_result(1), _result(2)))
_TOOL = ToolSchema(
    name=_mark("tool"),
    description=_mark("description"),
    parameters=f'{{"type":"object","properties":{{"{_mark("parameter")}":{{"type":"string"}}}}}}',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """One thing a template may not be able to write, and what helps then, the mildest first."""

    prompts: tuple[Prompt, ...]
    remedies: tuple[tuple[str, ...], ...]


def _chat(*messages: Message, tools: tuple[ToolSchema, ...] = ()) -> Prompt:
    return Prompt(messages=messages, tools=tools)


_QUESTIONS = (
    _Question(prompts=(_chat(_SYSTEM, _USER),), remedies=(("system in the first user turn",),)),
    _Question(
        prompts=(
            _chat(_SYSTEM, _USER, _AGAIN),
            _chat(_SYSTEM, _ANSWER, _USER),
            _chat(_SYSTEM, _USER, _ANSWER, _MORE, _AGAIN),
        ),
        remedies=(("one turn a role",), ("the user first",), ("one turn a role", "the user first")),
    ),
    _Question(
        prompts=(_chat(_SYSTEM, _USER, _CALLED, _RETURNED, _ANSWER, _AGAIN),),
        remedies=(
            (_TEXT_ARGUMENTS,),
            ("short call ids",),
            (_TEXT_ARGUMENTS, "short call ids"),
            ("calls as text",),
            ("calls as text", "one turn a role"),
        ),
    ),
    _Question(
        prompts=(
            _chat(_SYSTEM, _USER, _CALLED, _RETURNED, _AGAIN),
            _chat(_SYSTEM, _USER, _ANSWER, _CALLED, _RETURNED, _MORE, _AGAIN),
            _chat(_SYSTEM, _CALLED, _RETURNED, _AGAIN),
        ),
        remedies=((_AROUND_CALLS,), ("the user first",), (_AROUND_CALLS, "the user first")),
    ),
    _Question(
        prompts=(_chat(_SYSTEM, _USER, _CALLED_TWICE, _RETURNED_TWICE, _ANSWER, _AGAIN),),
        remedies=(("one call a turn",), ("calls as text",)),
    ),
    _Question(
        prompts=(_chat(_SYSTEM, _USER, _SPOKEN, _RETURNED, _ANSWER, _AGAIN),),
        remedies=(("spoken calls split",), ("spoken calls as text",), ("calls as text",)),
    ),
    _Question(prompts=(_chat(_SYSTEM, _USER, tools=(_TOOL,)),), remedies=(("tools in the system turn",),)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a template needs: names of adaptations, and how details are spelled."""

    adaptations: tuple[str, ...]
    spelling: Spelling

    @property
    def names(self) -> tuple[str, ...]:
        """Everything by name, for revisions and for people."""
        return (*self.adaptations, *((_TEXT_ARGUMENTS,) if self.spelling.arguments_as_text else ()))


def find_needs(template: ChatTemplate) -> Needs:
    """What has to be done to conversations before `template` writes every word of them.

    Where nothing helps, nothing is done, and the conversation will be refused when it comes.
    """
    chosen: frozenset[str] = frozenset()
    for question in _QUESTIONS:
        for remedy in ((), *question.remedies):
            tried = chosen | set(remedy)
            if all(_writes(template, prompt, tried) for prompt in question.prompts):
                chosen = tried
                break
    return _needs(chosen)


def find_markers(template: ChatTemplate, needs: Needs, controls: Sequence[str]) -> tuple[str, ...]:
    """Plain strings the template structures a chat by, such as `[INST]` or `### Instruction:`, beside `controls`.

    A marker is a tag, a word in square brackets, or a short line around turns that begins or ends with a sign; around
    calls and tools only tags count, for the lines there are instructions.
    """
    known = re.compile("|".join(map(re.escape, sorted(controls, key=len, reverse=True))) or "(?!)")
    turns = known.sub("\n", _scaffold(template, _chat(_SYSTEM, _USER, _ANSWER, _AGAIN), needs))
    calls = known.sub("\n", _scaffold(template, _chat(_SYSTEM, _USER, _CALLED, _RETURNED, _ANSWER, _AGAIN), needs))
    tools = known.sub("\n", _scaffold(template, _chat(_SYSTEM, _USER, tools=(_TOOL,)), needs))
    found = {line for line in map(str.strip, turns.splitlines()) if _LINE.fullmatch(line)}
    return tuple(sorted(found.union(*map(_TAGS.findall, (turns, calls, tools)))))


_TAGS = re.compile(
    r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|\[/?[A-Z][A-Z_]{2,30}\]|<</?[A-Z]{2,20}>>|</?[a-z][a-z_]{2,30}>"
)
_LINE = re.compile(r"#{1,6} ?\w[\w ]{1,24}:?|[A-Z]\w{2,15}(?: [A-Z]\w{2,15})?:|\*\*\w[\w ]{1,24}:?\*\*:?")


def _scaffold(template: ChatTemplate, prompt: Prompt, needs: Needs) -> str:
    """What the template writes around the words of a conversation; nothing where it refuses it."""
    return "\n".join(_MARK.split(_rendered(template, prompt, needs) or ""))


def _writes(template: ChatTemplate, prompt: Prompt, chosen: frozenset[str]) -> bool:
    text = _rendered(template, prompt, _needs(chosen))
    return text is not None and _marks(prompt) <= set(_MARK.findall(text))


def _rendered(template: ChatTemplate, prompt: Prompt, needs: Needs) -> str | None:
    changed = adapted(prompt, needs.adaptations)
    try:
        return template.render(spelled(changed.messages, needs.spelling), spelled_tools(changed.tools))
    except IncompatibleSpec as error:
        if error.field == "moment":
            raise
        return None


def _marks(prompt: Prompt) -> set[str]:
    """Every word that may not be lost; of a result, that which it returned."""
    marks: set[str] = set()
    for message in prompt.messages:
        for part in message.parts:
            match part:
                case TextPart() | ToolResultPart():
                    marks.add(part.text)
                case ToolCallPart():
                    marks.update((part.name, *_MARK.findall(part.arguments)))
                case _:
                    pass
    for tool in prompt.tools:
        marks.update((tool.name, tool.description, *_MARK.findall(tool.parameters)))
    return marks


def _needs(chosen: Sequence[str] | frozenset[str]) -> Needs:
    adaptations = tuple(sorted(set(chosen) - {_TEXT_ARGUMENTS}))
    return Needs(adaptations=adaptations, spelling=Spelling(arguments_as_text=_TEXT_ARGUMENTS in chosen))
