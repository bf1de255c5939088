"""The blocks that content is made of, OpenAI's and Anthropic's, as neutral parts; an unknown one is an error."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

import msgspec

from conspectus.core.message import ImagePart, Part, SealedPart, TextPart, ToolCallPart, ToolResultPart
from conspectus.sources.history.document import NOTHING, NULL, Record
from conspectus.sources.history.images import pixels
from conspectus.sources.reading import closest

ANTHROPIC, OPENAI = "Anthropic", "OpenAI"
_LIKENESS = 0.8
_LONGEST_NAME = 40
_METADATA = frozenset({"cache_control", "caller", "id", "index", "type"})


@dataclass(slots=True)
class Reader:
    """Reads one record, and remembers what it met.

    Attributes:
        shapes: for each provider's shape, the first thing that only that shape has.
        ignored: names of what was left out because nothing here has a place for it.
    """

    record: Record
    shapes: dict[str, str] = field(default_factory=dict[str, str])
    ignored: list[str] = field(default_factory=list[str])

    def meets(self, shape: str, what: str) -> None:
        """Take note of something that only `shape` has.

        Raises:
            InputError: something that only the other shape has was met before.
        """
        self.shapes.setdefault(shape, what)
        if len(self.shapes) > 1:
            mixed = " and ".join(f"{owner}'s {thing}" for owner, thing in sorted(self.shapes.items()))
            raise self.record.fault(f"mixes two shapes: {mixed}", what)

    def passes(self, given: Mapping[str, bytes], used: Collection[str], known: Collection[str], place: str) -> None:
        """Take note of every field that has no use here.

        Raises:
            InputError: one of them is probably a misspelt field that has.
        """
        for name, raw in given.items():
            if name in used or name in known or raw in NOTHING:
                continue
            near = closest(name, tuple(used), likeness=_LIKENESS)
            if near:
                message = f"unknown field `{name}`; did you mean `{near}`?"
                raise self.record.fault(message, f"{place}.{name}" if place else name)
            self.ignored.append(name[:_LONGEST_NAME])

    def content(self, raw: bytes, place: str) -> tuple[Part, ...]:
        """The parts of text, of a list of blocks, or of nothing.

        Raises:
            InputError: it is something else, or holds a block that is unknown or broken.
        """
        if raw == NULL:
            return ()
        if raw.startswith(b'"'):
            return (TextPart(text=self.record.decode(raw, str, place)),)
        blocks = self.record.decode(raw, list[msgspec.Raw], place)
        return tuple(chain.from_iterable(self._block(bytes(b), f"{place}[{n}]") for n, b in enumerate(blocks)))

    def _block(self, raw: bytes, place: str) -> tuple[Part, ...]:
        given = {name: bytes(value) for name, value in self.record.decode(raw, dict[str, msgspec.Raw], place).items()}
        if "type" not in given:
            raise self.record.fault("is missing; a block says what it is, as `text` or `tool_use`", f"{place}.type")
        kind = self.record.decode(given["type"], str, f"{place}.type")
        if kind in _SEALED:
            self.meets(ANTHROPIC, f"block `{kind}`")
            return (SealedPart(raw=raw.decode(), provider="anthropic", block_type=kind),)
        if kind not in _BLOCKS:
            known = ", ".join((*_BLOCKS, *_SEALED))
            raise self.record.fault(f"unknown block {kind[:_LONGEST_NAME]!r}; known: {known}", f"{place}.type")
        shape, struct, make = _BLOCKS[kind]
        if shape:
            self.meets(shape, f"block `{kind}`")
        self.passes(given, [each.encode_name for each in msgspec.structs.fields(struct)], _METADATA, place)
        return make(self, raw, place)

    def result(self, raw: bytes, place: str) -> tuple[str, tuple[ImagePart, ...]]:
        """Text and pictures of what a tool returned.

        Raises:
            InputError: it holds a block that no result may hold.
        """
        parts = self.content(raw, place)
        if any(not isinstance(part, TextPart | ImagePart) for part in parts):
            raise self.record.fault("a result holds text and pictures only", place)
        text = "\n".join(part.text for part in parts if isinstance(part, TextPart))
        return text, tuple(part for part in parts if isinstance(part, ImagePart))

    def call(self, call_id: str | None, name: str, arguments: bytes, place: str) -> ToolCallPart:
        """A call; `arguments` is JSON: an object, or text that should hold one.

        Raises:
            InputError: the call names no tool.
        """
        if not name.strip():
            raise self.record.fault("is blank; a call names a tool", f"{place}.name")
        is_text = arguments.startswith(b'"')
        text = self.record.decode(arguments, str, f"{place}.arguments") if is_text else arguments.decode()
        return ToolCallPart(call_id=call_id or "", name=name, arguments=text)


class _Text(msgspec.Struct, frozen=True, kw_only=True):
    text: str


class _Refusal(msgspec.Struct, frozen=True):
    refusal: str


class _Address(msgspec.Struct, frozen=True):
    url: str
    detail: str | None = None


class _ImageUrl(msgspec.Struct, frozen=True):
    image_url: _Address | str


class _Origin(msgspec.Struct, frozen=True, kw_only=True):
    type: str
    media_type: str = ""
    data: str = ""
    url: str = ""
    content: msgspec.Raw = msgspec.Raw(b"null")


class _Image(msgspec.Struct, frozen=True):
    source: _Origin


class _Document(msgspec.Struct, frozen=True):
    source: _Origin
    title: str | None = None
    context: str | None = None


class _SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    source: str
    title: str
    content: msgspec.Raw


class _ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    id: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"{}")


class _ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    tool_use_id: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"null")
    is_error: bool | None = None


def _text(reader: Reader, raw: bytes, place: str) -> tuple[Part, ...]:
    block = reader.record.decode(raw, _Text, place)
    return (TextPart(text=block.text),)


def _refusal(reader: Reader, raw: bytes, place: str) -> tuple[Part, ...]:
    block = reader.record.decode(raw, _Refusal, place)
    return (TextPart(text=block.refusal),)


def _image_url(reader: Reader, raw: bytes, place: str) -> tuple[Part, ...]:
    block = reader.record.decode(raw, _ImageUrl, place)
    address = block.image_url if isinstance(block.image_url, _Address) else _Address(block.image_url)
    head, marked, data = address.url.partition(";base64,")
    detail = address.detail or ""
    if marked and head.startswith("data:"):
        return (_shown(reader, head.removeprefix("data:"), data, place, detail),)
    if not address.url:
        raise reader.record.fault("a picture has an address or data", f"{place}.image_url")
    return (ImagePart(url=address.url, detail=detail),)


def _image(reader: Reader, raw: bytes, place: str) -> tuple[Part, ...]:
    block = reader.record.decode(raw, _Image, place)
    match block.source.type:
        case "base64":
            return (_shown(reader, block.source.media_type, block.source.data, place),)
        case "url" if block.source.url:
            return (ImagePart(url=block.source.url),)
        case other:
            message = f"a picture from {other!r}; known: base64 with data, url with an address"
            raise reader.record.fault(message, f"{place}.source")


def _shown(reader: Reader, media_type: str, data: str, place: str, detail: str = "") -> ImagePart:
    if not data:
        raise reader.record.fault("a picture has an address or data", place)
    width, height = pixels(data)
    return ImagePart(media_type=media_type, data=data, width=width, height=height, detail=detail)


def _document(reader: Reader, raw: bytes, place: str) -> tuple[Part, ...]:
    """A document as its text; what is no text has no price here."""
    block = reader.record.decode(raw, _Document, place)
    above = tuple(TextPart(text=f"{text}\n") for text in (block.title, block.context) if text)
    match block.source.type:
        case "text":
            return (*above, TextPart(text=block.source.data))
        case "content":
            return (*above, *reader.content(bytes(block.source.content), f"{place}.source.content"))
        case other:
            message = f"a document from {other!r} cannot be counted; known: text, content. Put in its text"
            raise reader.record.fault(message, f"{place}.source")


def _search_result(reader: Reader, raw: bytes, place: str) -> tuple[Part, ...]:
    block = reader.record.decode(raw, _SearchResult, place)
    head = TextPart(text=f"{block.title} ({block.source})\n")
    return (head, *reader.content(bytes(block.content), f"{place}.content"))


def _tool_use(reader: Reader, raw: bytes, place: str) -> tuple[Part, ...]:
    block = reader.record.decode(raw, _ToolUse, place)
    return (reader.call(block.id, block.name, bytes(block.input), place),)


def _tool_result(reader: Reader, raw: bytes, place: str) -> tuple[Part, ...]:
    block = reader.record.decode(raw, _ToolResult, place)
    text, images = reader.result(bytes(block.content), f"{place}.content")
    error = bool(block.is_error)
    return (ToolResultPart(call_id=block.tool_use_id or "", text=text, is_error=error, images=images),)


# A thought is signed and a server's own tools bring encrypted results: sent back byte for byte, or not at all.
_SEALED = (
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
)
_Entry: TypeAlias = tuple[str, type[msgspec.Struct], Callable[[Reader, bytes, str], tuple[Part, ...]]]
_BLOCKS: dict[str, _Entry] = {
    "text": ("", _Text, _text),
    "input_text": ("", _Text, _text),
    "output_text": ("", _Text, _text),
    "image_url": (OPENAI, _ImageUrl, _image_url),
    "refusal": (OPENAI, _Refusal, _refusal),
    "image": (ANTHROPIC, _Image, _image),
    "document": (ANTHROPIC, _Document, _document),
    "search_result": (ANTHROPIC, _SearchResult, _search_result),
    "tool_use": (ANTHROPIC, _ToolUse, _tool_use),
    "tool_result": (ANTHROPIC, _ToolResult, _tool_result),
}
