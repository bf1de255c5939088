"""Tool schemas as the TypeScript-like text OpenAI's models are shown; only ever counted, never sent.

The form is the one people found by asking the models, as in OpenAI's cookbook ("How to count tokens with tiktoken",
part 6) and hmarr's openai-chat-tokens (hmarr.com/blog/counting-openai-tokens).
"""

from typing import Any

import msgspec

from conspectus.core.canonical import Plain
from conspectus.core.message import ToolSchema
from conspectus.errors import IncompatibleSpec


def described(tool: ToolSchema) -> str:
    """One tool as a type in the namespace of functions.

    Raises:
        IncompatibleSpec: the tool's parameters are no JSON object.
    """
    schema = parameters_of(tool)
    properties = _object(schema.get("properties"))
    arguments = f"_: {{\n{_members(schema, properties)}}}" if properties else ""
    return f"{_comment(tool.description)}type {tool.name} = ({arguments}) => any;\n\n"


def parameters_of(tool: ToolSchema) -> dict[str, Plain]:
    """The JSON Schema of a tool's parameters.

    Raises:
        IncompatibleSpec: it is no JSON object.
    """
    try:
        return msgspec.json.decode(tool.parameters, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise IncompatibleSpec("tool", f"{tool.name}: its parameters are no JSON object: {error}") from error


def _members(schema: dict[str, Plain], properties: dict[str, Plain]) -> str:
    named = _list(schema.get("required")) or []
    return "".join(
        f"{_comment(_text(_object(member).get('description')))}{name}{'' if name in named else '?'}: "
        f"{_type(_object(member))},\n"
        for name, member in properties.items()
    )


def _type(schema: dict[str, Plain]) -> str:
    """A schema in the words of TypeScript; what has no such words is written as its JSON, which is longer."""
    options = _list(schema.get("enum"))
    if options is not None:
        return " | ".join(msgspec.json.encode(option).decode() for option in options)
    match schema.get("type"):
        case "object" if _object(schema.get("properties")):
            return f"{{\n{_members(schema, _object(schema['properties']))}}}"
        case "array":
            return f"{_type(_object(schema.get('items')))}[]"
        case "integer":
            return "number"
        case "string" | "number" | "boolean" | "null" | "object" as name:
            return str(name)
        case _:
            return msgspec.json.encode(schema).decode() if schema else "any"


def _comment(text: str) -> str:
    return "".join(f"// {line}\n" for line in text.splitlines())


def _object(value: Plain) -> dict[str, Plain]:
    return value if isinstance(value, dict) else {}


def _list(value: Plain) -> list[Plain] | None:
    return value if isinstance(value, list) else None


def _text(value: Plain) -> str:
    return value if isinstance(value, str) else ""
