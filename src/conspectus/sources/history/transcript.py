"""Turns as text that a person reads: who said what, what was called, and what came back; it is never read back."""

from collections.abc import Iterable

from conspectus.core.message import ImagePart, Part, SealedPart, TextPart, ToolCallPart, ToolResultPart
from conspectus.sources.history.turns import Turn


def transcript(turns: Iterable[Turn]) -> str:
    """The turns of one unit, a part a line."""
    return "\n".join(_line(turn, part) for turn in turns for part in turn.parts)


def _line(turn: Turn, part: Part) -> str:
    role = turn.role.value
    match part:
        case TextPart():
            return f"{role}: {part.text}"
        case ToolCallPart():
            return f"{role} calls {part.name}({part.arguments})"
        case ToolResultPart():
            lone = " (its call is gone)" if turn.quoted else ""
            shown = "".join(f"\n{_picture(image, 'tool')}" for image in part.images)
            return f"tool {part.name or '?'}{lone} {'failed' if part.is_error else 'returned'}: {part.text}{shown}"
        case ImagePart():
            return _picture(part, role)
        case SealedPart():
            return f"{role} has a sealed block: {part.block_type}"


def _picture(image: ImagePart, role: str) -> str:
    size = f", {image.width}×{image.height}" if image.width else ""
    return f"{role} shows a picture: {image.url or image.media_type}{size}"
