r"""Paths in bytes to ids that can be shown, cited and read back; it opens nothing.

A path is bytes, whatever the locale says. In an id it is UTF-8 with percent signs for what would be invisible or
ambiguous: controls, format characters, line separators, bytes that are no UTF-8, `#` and `%`. A chunk is named
`file/PATH#L10-42`; a piece of one long line `file/PATH#L10.1-10.1500`, with columns counted in code points from 1.
"""

import re

PREFIX = "file/"

# Categories Cc, Cf, Zl and Zp of Unicode 16, and lone surrogates; written out, for Pythons differ in what they know.
_UNSAFE = re.compile(
    "[%#\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_ESCAPED = re.compile(rb"%([0-9A-F]{2})")


def encode_path(path: bytes) -> str:
    """`path` as one line of visible text; different paths give different texts."""
    return _UNSAFE.sub(_escape, path.decode("utf-8", "surrogateescape"))


def decode_path(text: str) -> bytes:
    """The path that `encode_path` was given."""
    return _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode("utf-8", "surrogateescape"))


def file_id(path: bytes, label: str = "") -> str:
    """The id of a whole file, `file/PATH`, or `file/LABEL/PATH` where several folders are offered."""
    return f"{PREFIX}{label}/{encode_path(path)}" if label else PREFIX + encode_path(path)


def source_uri(item_id: str) -> str:
    """The URI that every item of a file cites: `file:PATH` for `file/PATH` and for all its parts."""
    return item_id.partition("#")[0].replace("/", ":", 1)


def path_of(item_id: str, label: str = "") -> bytes:
    """The path of the file an id is of, whatever part of it the id names."""
    text = item_id.partition("#")[0].removeprefix(PREFIX)
    return decode_path(text.removeprefix(f"{label}/") if label else text)


def lines_fragment(first: int, last: int) -> str:
    """What follows the path in the id of a chunk of whole lines, counted from 1."""
    return f"#L{first}-{last}"


def columns_fragment(line: int, first: int, last: int) -> str:
    """What follows the path in the id of a piece of one long line, columns in code points from 1."""
    return f"#L{line}.{first}-{line}.{last}"


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape"))
