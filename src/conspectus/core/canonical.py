"""One value, one sequence of bytes, one hash; no reading back and no knowledge of what the value means."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import TypeAlias, cast

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"


def timestamp(moment: datetime) -> str:
    """`moment` as ISO 8601 in UTC, the same text in every time zone.

    Raises:
        ValueError: `moment` has no time zone.
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def plain(value: object) -> Plain:
    """`value` in JSON's own types: sets sorted, enums by value or name, moments in UTC, dataclasses as objects.

    Raises:
        TypeError: a part of `value` has no canonical form.
    """
    match value:
        case Enum():
            return value.value if isinstance(value.value, str) else value.name.lower()
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return timestamp(value)
        case Mapping():
            return {str(key): plain(part) for key, part in cast("Mapping[object, object]", value).items()}
        case frozenset() | set():
            return [plain(part) for part in sorted(cast("frozenset[str]", value))]
        case Sequence():
            return [plain(part) for part in cast("Sequence[object]", value)]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        case _:
            raise TypeError(f"{type(value).__name__} has no canonical form")


def canonical_bytes(value: object) -> bytes:
    """UTF-8 JSON with sorted keys, no spaces, non-ASCII characters as they are and no NaN.

    Raises:
        TypeError: a part of `value` has no canonical form.
        ValueError: a number is NaN or infinite, or a moment has no time zone.
    """
    text = json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def digest(data: bytes) -> str:
    """SHA-256 of `data` as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def text_hash(text: str) -> str:
    """SHA-256 of `text` in UTF-8; a lone surrogate, which no UTF-8 has, counts by its code point."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical_hash(value: object) -> str:
    """SHA-256 of the canonical bytes of `value`."""
    return digest(canonical_bytes(value))
