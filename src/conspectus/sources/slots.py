"""Evidence slots: what the task cannot be answered without; read, not judged."""

from pathlib import Path

import msgspec

from conspectus.core.call import Slot
from conspectus.errors import InputError
from conspectus.sources.reading import decode_line, read_bytes


class _Slot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    match: str | list[str] = []
    source: str = ""


class _Slots(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    slots: list[_Slot | str]


def read_slots(path: Path) -> tuple[Slot, ...]:
    """The slots of a JSON file: a list, or an object with `slots`, of names or of {name, match, source}.

    Raises:
        InputError: the file is no such JSON, a name is empty or given twice.
    """
    data = read_bytes(path)
    if data.lstrip().startswith(b"{"):
        entries = decode_line(data, _Slots, path, 1).slots
    else:
        entries = decode_line(data, list[_Slot | str], path, 1)
    slots = tuple(_slot(entry) for entry in entries)
    names = [slot.name for slot in slots]
    for name in names:
        if not name.strip() or names.count(name) > 1:
            raise InputError(str(path), f"the name {name!r} is empty or given twice", field="name")
    return slots


def _slot(entry: _Slot | str) -> Slot:
    if isinstance(entry, str):
        return Slot(name=entry)
    match = (entry.match,) if isinstance(entry.match, str) else tuple(entry.match)
    return Slot(name=entry.name, match=match, source=entry.source)
