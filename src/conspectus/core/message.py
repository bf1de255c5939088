"""Turns of a chat in one neutral shape: what every provider's own shape is read into and written from."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Role(StrEnum):
    """How text is serialized for the model; it never says whose policy the text may change."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """Plain text of a turn."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """A picture: `data` is base64 or empty, `url` an address or empty; width and height in pixels, 0 when unknown."""

    media_type: str = ""
    data: str = ""
    url: str = ""
    width: int = 0
    height: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallPart:
    """A call the model proposed; `arguments` is the JSON text exactly as it came, valid or not."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultPart:
    """What one call returned."""

    call_id: str
    text: str
    name: str = ""
    is_error: bool = False
    images: tuple[ImagePart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedPart:
    """A block that may only be sent byte for byte or not at all, such as signed thinking.

    `raw` is the provider's JSON for the block, `provider` the only form it can be sent in.
    """

    raw: str
    provider: str
    block_type: str


Part: TypeAlias = TextPart | ImagePart | ToolCallPart | ToolResultPart | SealedPart


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The text parts of the turn, joined as they stand."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """A tool as the model is told about it; `parameters` is the canonical JSON text of its JSON Schema."""

    name: str
    description: str
    parameters: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What is sent, before a provider's wire form: either one text or turns and tools."""

    text: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSchema, ...] = ()
