"""Data of a prompt, carried through a template under names nobody mistakes for structure; it renders nothing."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from conspectus.core.canonical import Plain
from conspectus.core.message import Part, Prompt, TextPart, ToolCallPart, ToolResultPart, ToolSchema
from conspectus.models.local.vocabulary import Quoting


def data_of(prompt: Prompt) -> Iterator[str]:
    """Every text of a prompt that is not the template's own."""
    for message in prompt.messages:
        for part in message.parts:
            match part:
                case TextPart() | ToolResultPart():
                    yield part.text
                case ToolCallPart():
                    yield part.name
                    yield part.arguments
                case _:
                    pass
    for tool in prompt.tools:
        yield from (tool.name, tool.description, tool.parameters)


def quoted(prompt: Prompt, quoting: Quoting) -> Prompt:
    """The prompt with every control string in its data quoted.

    Raises:
        IncompatibleSpec: its data holds one of the noncharacters that quoting is made of.
    """
    messages = tuple(
        replace(message, parts=tuple(_quoted_part(part, quoting) for part in message.parts))
        for message in prompt.messages
    )
    return replace(prompt, messages=messages, tools=tuple(_quoted_tool(tool, quoting) for tool in prompt.tools))


def _quoted_part(part: Part, quoting: Quoting) -> Part:
    match part:
        case TextPart():
            return replace(part, text=quoting.quote(part.text))
        case ToolResultPart():
            return replace(
                part, text=quoting.quote(part.text), name=quoting.quote(part.name), call_id=quoting.quote(part.call_id)
            )
        case ToolCallPart():
            arguments = _quoted_json(part.arguments, quoting)
            return replace(
                part, arguments=arguments, name=quoting.quote(part.name), call_id=quoting.quote(part.call_id)
            )
        case _:
            return part


def _quoted_tool(tool: ToolSchema, quoting: Quoting) -> ToolSchema:
    return replace(
        tool,
        name=quoting.quote(tool.name),
        description=quoting.quote(tool.description),
        parameters=_quoted_json(tool.parameters, quoting),
    )


def _quoted_json(text: str, quoting: Quoting) -> str:
    """JSON text whose strings are quoted after their escapes are read, for templates write them without escapes."""
    try:
        value: Plain = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return quoting.quote(text)
    strings = list(_strings(value))
    if not any(quoting.quote(string) != string for string in strings):
        return text
    return msgspec.json.encode(_mapped(value, quoting)).decode()


def _strings(value: Plain) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, inner in value.items():
                yield key
                yield from _strings(inner)
        case list():
            for inner in value:
                yield from _strings(inner)
        case _:
            pass


def _mapped(value: Plain, quoting: Quoting) -> Plain:
    match value:
        case str():
            return quoting.quote(value)
        case dict():
            return {quoting.quote(key): _mapped(inner, quoting) for key, inner in value.items()}
        case list():
            return [_mapped(inner, quoting) for inner in value]
        case _:
            return value
