"""A file as the records of one conversation, whichever way it holds them; it knows JSON, and nothing about turns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from conspectus.core.manifest import Reason, Verdict
from conspectus.errors import InputError
from conspectus.sources.history.turns import Note
from conspectus.sources.reading import (
    decode_document,
    decode_line,
    decode_text,
    line_at,
    numbered_lines,
    read_bytes,
    refuse_named_twice,
    with_whole_characters,
)

NULL = b"null"
NOTHING = frozenset({NULL, b'""', b"[]", b"{}"})
_BODY = frozenset({"messages", "system"})

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One JSON object of the conversation, its values as they stand in the file.

    Attributes:
        number: 1-based line of a JSONL file, or place in a list; 0 for what stands outside the list of messages.
    """

    path: Path
    number: int
    line: int
    fields: Mapping[str, bytes]

    def fault(self, message: str, field: str) -> InputError:
        """The error that names this record's line and the field."""
        return InputError(str(self.path), message, line=self.line, field=field)

    def decode(self, raw: bytes, kind: type[Value], field: str) -> Value:
        """A value of this record.

        Raises:
            InputError: it is of another kind; line and field are named.
        """
        return decode_line(raw, kind, self.path, self.line, field)

    def optional(self, name: str, kind: type[Value]) -> Value | None:
        """The value of a field, or None where it is absent or null; raises InputError like `decode`."""
        raw = self.fields.get(name, NULL)
        return None if raw == NULL else self.decode(raw, kind, name)

    def holds(self, name: str) -> bool:
        """Whether a field is there and says something."""
        return self.fields.get(name, NULL) not in NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The records of a conversation in order, and notes of what was mended or left out to get at them."""

    records: tuple[Record, ...]
    notes: tuple[Note, ...] = ()


def read_document(path: Path) -> Document:
    """The records of a JSONL file, of a JSON list, or of a JSON object with `messages`.

    A last line that breaks off behind others, as a crash leaves it, is left out and noted.

    Raises:
        InputError: the file cannot be read, or is broken anywhere else; the line is named.
    """
    data = read_bytes(path)
    start = data.lstrip()
    first, _, others = start.partition(b"\n")
    spread = start.startswith(b"{") and not first.rstrip().endswith(b"}") and bool(others.strip())
    return _whole(data, path) if spread or start.startswith(b"[") else _lined(data, path)


def _lined(data: bytes, path: Path) -> Document:
    lines = list(numbered_lines(data))
    notes: list[Note] = []
    if len(lines) > 1 and _breaks_off(lines[-1][1]):
        number, torn = lines.pop()
        data = data[: data.rindex(torn)]
        notes.append(_torn(number))
    decode_text(data, path)
    records: list[Record] = []
    for number, line in lines:
        whole = with_whole_characters(line)
        if whole != line:
            notes.append(_halved(number))
        records.append(_record(whole, path, number, number))
    holding = [record for record in records if "messages" in record.fields]
    if holding and len(records) > 1:
        raise holding[-1].fault("holds a conversation of its own; give one conversation a file", "messages")
    if holding:
        document = _whole(data, path)
        return Document(records=document.records, notes=(*notes, *document.notes))
    return Document(records=tuple(records), notes=tuple(notes))


def _breaks_off(line: bytes) -> bool:
    """Whether the JSON on a line ends before it is whole."""
    try:
        msgspec.json.decode(with_whole_characters(line), type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    except RecursionError:
        return False
    return False


def _whole(data: bytes, path: Path) -> Document:
    """A list of messages, or a request body: its messages, its system prompt as a record, a note of the rest."""
    decode_text(data, path)
    whole = with_whole_characters(data)
    notes = [_halved(-1)] if whole != data else []
    if whole.lstrip().startswith(b"["):
        raws = decode_document(whole, list[msgspec.Raw], path)
        return Document(records=_listed(raws, whole, 0, path), notes=tuple(notes))
    fields = {name: bytes(raw) for name, raw in decode_document(whole, dict[str, msgspec.Raw], path).items()}
    if "messages" not in fields:
        raise InputError(str(path), "is neither a conversation line by line nor an object with `messages`")
    before: tuple[Record, ...] = ()
    if fields.get("system", NULL) not in NOTHING:
        line = line_at(whole, whole.find(fields["system"]))
        before = (Record(path=path, number=0, line=line, fields={"role": b'"system"', "content": fields["system"]}),)
    left_out = sorted(name for name, raw in fields.items() if name not in _BODY and raw not in NOTHING)
    if left_out:
        detail = f"left out beside the messages: {', '.join(left_out)}"
        notes.append(Note(number=-1, line=0, detail=detail, reason=Reason.IGNORED, damage=False))
    offset = whole.index(fields["messages"])
    raws = decode_line(fields["messages"], list[msgspec.Raw], path, line_at(whole, offset), "messages")
    return Document(records=(*before, *_listed(raws, whole, offset, path)), notes=tuple(notes))


def _listed(raws: Iterable[msgspec.Raw], whole: bytes, offset: int, path: Path) -> tuple[Record, ...]:
    """The values of a list that begins at `offset`: between two of them stand blanks and one comma only."""
    records: list[Record] = []
    line = line_at(whole, offset)
    for number, raw in enumerate(map(bytes, raws), 1):
        start = whole.index(raw, offset)
        line += whole.count(b"\n", offset, start)
        records.append(_record(raw, path, number, line))
        line += raw.count(b"\n")
        offset = start + len(raw)
    return tuple(records)


def _record(raw: bytes, path: Path, number: int, line: int) -> Record:
    fields = decode_line(raw, dict[str, msgspec.Raw], path, line)
    refuse_named_twice(raw, path, line, nested=False)
    return Record(path=path, number=number, line=line, fields={name: bytes(value) for name, value in fields.items()})


def _torn(number: int) -> Note:
    detail = f"line {number} breaks off and was left out"
    return Note(number=number, line=number, detail=detail, reason=Reason.MALFORMED, verdict=Verdict.OMITTED)


def _halved(number: int) -> Note:
    where = f"line {number} held" if number > 0 else "held"
    return Note(number=number, line=max(number, 0), detail=f"{where} halves of characters, which became U+FFFD")
