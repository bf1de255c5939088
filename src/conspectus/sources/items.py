"""Your own items as JSONL, validated line by line; nothing in them can claim more authority than a user."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, cast

import msgspec

from conspectus.core.call import Caller, Request
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Gathered
from conspectus.core.message import Role
from conspectus.errors import InputError
from conspectus.sources.reading import (
    closest,
    deceives,
    decode_line,
    moment_of,
    numbered_lines,
    read_bytes,
    refuse_named_twice,
)

_LONGEST_ID = 1_000
_APPROVED_ONLY = (Kind.INSTRUCTION, Kind.REQUEST)
_KINDS = tuple(kind.value for kind in Kind if kind not in _APPROVED_ONLY)
_SHARES = ("prior", "turn")
_SHOWN = 40
_LEVELS = tuple(level.name.lower() for level in Authority)
_SCHEMAS = ("parameters", "input_schema", "inputSchema")


class _Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    item_id: str
    kind: str
    content: str
    source_uri: str = ""
    source_version: str = ""
    role: Role = Role.USER
    authority: str = "data"
    trust: Trust = Trust.UNTRUSTED
    observed_at: str | None = None
    expires_at: str | None = None
    tenant: str = ""
    acl_version: str = ""
    readers: list[str] = []
    token_count: int | None = None
    dependencies: list[str] = []
    supersedes: list[str] = []
    derived_from: list[str] = []
    parent_call_id: str = ""
    mandatory: bool = False
    stable: bool = False
    signals: dict[str, Any] = {}
    content_hash: str = ""


class ItemSource:
    """Items that were read before the call."""

    def __init__(self, items: Sequence[ContextItem], name: str = "items") -> None:
        self.name = name
        self._items = tuple(items)

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:  # noqa: ARG002 - for every call alike
        """All of them."""
        return Gathered(items=self._items)


def read_items(path: Path, tenant: str) -> ItemSource:
    """The items of a JSONL file; one that names no tenant is of `tenant`.

    Raises:
        InputError: the first bad line with its number and field, an id that is given twice, a circle of dependencies.
    """
    lines: dict[str, int] = {}
    items: list[ContextItem] = []
    for number, line in numbered_lines(read_bytes(path)):
        record = decode_line(line, _Item, path, number)
        refuse_named_twice(line, path, number)
        item = _item(record, path, number, tenant)
        if item.item_id in lines:
            first = lines[item.item_id]
            raise InputError(str(path), f"{item.item_id!r} is on line {first} already", line=number, field="item_id")
        lines[item.item_id] = number
        items.append(item)
    _refuse_circles(items, lines, path)
    return ItemSource(items)


def _item(record: _Item, path: Path, number: int, tenant: str) -> ContextItem:
    fault = next(_faults(record), None)
    if fault:
        field, message = fault
        raise InputError(str(path), message, line=number, field=field)
    item = ContextItem(
        item_id=record.item_id,
        kind=Kind(record.kind),
        content=record.content,
        source_uri=record.source_uri,
        source_version=record.source_version,
        role=record.role,
        authority=Authority[record.authority.upper()],
        trust=record.trust,
        observed_at=_moment(record.observed_at, path, number, "observed_at"),
        expires_at=_moment(record.expires_at, path, number, "expires_at"),
        tenant=record.tenant or tenant,
        acl_version=record.acl_version,
        readers=frozenset(record.readers),
        token_count=record.token_count,
        dependencies=tuple(record.dependencies),
        supersedes=tuple(record.supersedes),
        derived_from=tuple(record.derived_from),
        parent_call_id=record.parent_call_id,
        mandatory=record.mandatory,
        stable=record.stable,
        signals=tuple(sorted((name, float(score)) for name, score in record.signals.items())),
    )
    if record.content_hash not in ("", item.content_hash):
        message = f"the content has {item.content_hash[:16]}…; it was changed after it was hashed"
        raise InputError(str(path), message, line=number, field="content_hash")
    return item


def _moment(text: str | None, path: Path, number: int, field: str) -> datetime | None:
    return None if text is None else moment_of(text, path, number, field)


def _faults(record: _Item) -> Iterator[tuple[str, str]]:
    """Field and fault of everything that is wrong beyond types."""
    yield from _name_faults(record)
    yield from _kind_faults(record.kind)
    yield from _authority_faults(record.authority)
    if not record.content.strip():
        yield "content", "is empty"
    elif record.kind == Kind.TOOL_SCHEMA:
        yield from _tool_faults(record.content)
    if record.token_count is not None and record.token_count < 0:
        yield "token_count", "is negative"
    yield from _signal_faults(record.signals)


def _name_faults(record: _Item) -> Iterator[tuple[str, str]]:
    if not record.item_id.strip() or record.item_id != record.item_id.strip():
        yield "item_id", f"{record.item_id!r} is blank or begins or ends with a space"
    if len(record.item_id) > _LONGEST_ID:
        yield "item_id", f"has {len(record.item_id):,} characters; at most {_LONGEST_ID:,}"
    for name in ("item_id", "source_uri", "source_version"):
        if deceives(getattr(record, name)):
            yield name, "holds control or invisible characters"
    for name in ("readers", "dependencies", "supersedes", "derived_from"):
        if not all(entry.strip() for entry in getattr(record, name)):
            yield name, "holds a blank name"


def _kind_faults(kind: str) -> Iterator[tuple[str, str]]:
    if kind in _APPROVED_ONLY:
        yield "kind", f"{kind} comes from --instructions and the question only; known here: {', '.join(_KINDS)}"
    elif kind not in _KINDS:
        near = closest(kind, _KINDS)
        yield "kind", f"unknown kind {kind!r}; {f'did you mean `{near}`? ' if near else ''}known: {', '.join(_KINDS)}"


def _authority_faults(authority: str) -> Iterator[tuple[str, str]]:
    if authority not in _LEVELS:
        near = closest(authority, _LEVELS)
        hint = f"did you mean `{near}`?" if near else f"known: {', '.join(_LEVELS)}"
        yield "authority", f"unknown authority {authority!r}; {hint}"
    elif Authority[authority.upper()] > Authority.USER:
        yield "authority", f"{authority} is given by --instructions only; here `data` or `user`"


def _signal_faults(signals: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Faults of the scores; a source may name its own, but none that is nearly the name of one with a meaning here."""
    for name, score in signals.items():
        field = f"signals.{name}" if name.strip() else "signals"
        near = "" if name in _SHARES else closest(name, _SHARES, likeness=0.7)
        if not name.strip():
            yield field, "a score has a name"
        elif near:
            yield field, f"unknown; did you mean `{near}`?"
        elif isinstance(score, bool) or not isinstance(score, int | float):
            yield field, f"is no number: {msgspec.json.encode(score).decode()[:_SHOWN]}"
        elif not abs(score) <= sys.float_info.max:
            yield field, "is no finite number"
        elif name in _SHARES and not 0.0 <= score <= 1.0:
            yield field, f"{score} is outside 0..1"


def _tool_faults(content: str) -> Iterator[tuple[str, str]]:
    """What keeps the content from being a tool: an object with a name, and at most one JSON Schema of its arguments."""
    try:
        declared: Any = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        yield "content", f"a tool schema is a JSON object: {error}"
        return
    if not isinstance(declared, dict):
        yield "content", "a tool schema is a JSON object with `name` and `parameters`"
        return
    tool = cast("dict[str, Any]", declared)
    if not isinstance(tool.get("name"), str) or not tool["name"].strip():
        yield "content.name", "a tool has a name"
    if not isinstance(tool.get("description", ""), str):
        yield "content.description", "is no text"
    given = [name for name in _SCHEMAS if name in tool]
    if len(given) > 1:
        yield "content", f"gives {' and '.join(given)}; one of them is enough"
    for name in given:
        if not isinstance(tool[name], dict):
            yield f"content.{name}", "is no JSON Schema object"
    for name in tool:
        near = "" if name in _SCHEMAS else closest(name, _SCHEMAS, likeness=0.8)
        if near:
            yield f"content.{name}", f"unknown; did you mean `{near}`?"


def _refuse_circles(items: Sequence[ContextItem], lines: Mapping[str, int], path: Path) -> None:
    """Raise InputError with the circle, each name depending on the next, if the dependencies hold one."""
    try:
        TopologicalSorter({item.item_id: item.dependencies for item in items}).prepare()
    except CycleError as error:
        names: list[str] = error.args[1][::-1]
        message = f"depends on itself: {' → '.join(names)}"
        raise InputError(str(path), message, line=lines[names[0]], field="dependencies") from error
