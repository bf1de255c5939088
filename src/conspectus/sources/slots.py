"""Evidence slots: what the task cannot be answered without; read, not judged."""

from pathlib import Path

import msgspec

from conspectus.core.call import Slot
from conspectus.errors import InputError
from conspectus.sources.reading import decode_document, read_bytes, refuse_named_twice


class _Slot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    match: str | list[str] = []
    source: str = ""


class _Slots(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    slots: list[_Slot | str]


def read_slots(path: Path) -> tuple[Slot, ...]:
    """The slots of a JSON file: a list, or an object with `slots`, of names or of {name, match, source}.

    Raises:
        InputError: the file is no such JSON, a name is blank or given twice, or a term to match is blank.
    """
    data = read_bytes(path)
    if data.lstrip().startswith(b"{"):
        entries = decode_document(data, _Slots, path).slots
    else:
        entries = decode_document(data, list[_Slot | str], path)
    refuse_named_twice(data, path)
    places: dict[str, int] = {}
    for place, slot in enumerate(slots := tuple(map(_slot, entries))):
        where = f"slots[{place}]"
        if not slot.name.strip():
            raise InputError(str(path), "is blank; a slot has a name", field=f"{where}.name")
        if slot.name in places:
            message = f"{slot.name!r} is given twice, first as slots[{places[slot.name]}]"
            raise InputError(str(path), message, field=f"{where}.name")
        if not all(term.strip() for term in slot.match):
            raise InputError(str(path), "holds a blank term, which everything would match", field=f"{where}.match")
        places[slot.name] = place
    return slots


def _slot(entry: _Slot | str) -> Slot:
    if isinstance(entry, str):
        return Slot(name=entry)
    match = (entry.match,) if isinstance(entry.match, str) else tuple(entry.match)
    return Slot(name=entry.name, match=match, source=entry.source)
