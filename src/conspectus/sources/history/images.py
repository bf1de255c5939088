"""Width and height of a picture from its first bytes, so that its price is known; it decodes no pixel."""

import base64
import binascii
import struct
from collections.abc import Callable

_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})
_UNKNOWN = (0, 0)
_LONGEST_WEBP_HEADER = 30


def pixels(data: str) -> tuple[int, int]:
    """Width and height in pixels of a PNG, GIF, WebP or JPEG in base64; (0, 0) where they cannot be told."""
    try:
        image = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return _UNKNOWN
    for signature, place, read in _FORMATS:
        if image.startswith(signature, place):
            try:
                return read(image)
            except (struct.error, IndexError):
                return _UNKNOWN
    return _UNKNOWN


def _png(image: bytes) -> tuple[int, int]:
    """The header chunk stands first (PNG 1.2, section 4.1.1)."""
    width, height = struct.unpack_from(">II", image, 16)
    return width, height


def _gif(image: bytes) -> tuple[int, int]:
    """The logical screen (GIF89a, section 18)."""
    width, height = struct.unpack_from("<HH", image, 6)
    return width, height


def _webp(image: bytes) -> tuple[int, int]:
    """The three kinds of first chunk (RFC 9649, sections 2.5 to 2.7)."""
    match image[12:16] if len(image) >= _LONGEST_WEBP_HEADER else b"":
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", image, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (packed,) = struct.unpack_from("<I", image, 21)
            return (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return int.from_bytes(image[24:27], "little") + 1, int.from_bytes(image[27:30], "little") + 1
        case _:
            return _UNKNOWN


def _jpeg(image: bytes) -> tuple[int, int]:
    """The first frame header; every segment before it is passed over (ITU T.81, annex B)."""
    place = 2
    while image[place] == 0xFF:
        marker = image[place + 1]
        if marker in _FRAME_MARKERS:
            height, width = struct.unpack_from(">HH", image, place + 5)
            return width, height
        if marker == 0xFF:
            place += 1
        elif marker in _BARE_MARKERS:
            place += 2
        else:
            place += 2 + int.from_bytes(image[place + 2 : place + 4], "big")
    return _UNKNOWN


_FORMATS: tuple[tuple[bytes, int, Callable[[bytes], tuple[int, int]]], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, _png),
    (b"GIF8", 0, _gif),
    (b"WEBP", 8, _webp),
    (b"\xff\xd8", 0, _jpeg),
)
