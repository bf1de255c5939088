"""What a body says, whatever form it has: its words without escapes, and its items read back; it judges nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import msgspec

from conspectus.assembly.fence import Framed, parse, restore
from conspectus.core.call import Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A body as the model reads it.

    Attributes:
        text: every string of it, escapes undone.
        items: the framed items by id.
    """

    text: str
    items: Mapping[str, Framed]


def read_body(body: str, form: str) -> Reading:
    """Read a body of this form; one that is no JSON where it should be is read as the text it is."""
    spoken = (body,) if form == Form.TEXT else tuple(_strings(body))
    return Reading(
        text="\n".join(restore(text) for text in spoken),
        items={framed.item_id: framed for text in spoken for framed in parse(text)},
    )


def _strings(body: str) -> Iterator[str]:
    waiting: list[object] = []
    try:
        waiting.append(msgspec.json.decode(body))
    except (msgspec.DecodeError, RecursionError):
        yield body
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting.extend(reversed(cast("dict[str, object]", value).values()))
        elif isinstance(value, list):
            waiting.extend(reversed(cast("list[object]", value)))
