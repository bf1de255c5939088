"""Your own items as JSONL, validated line by line; nothing in them can claim more authority than a user."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from conspectus.core.call import Caller, Request
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Gathered
from conspectus.core.message import Role
from conspectus.errors import InputError
from conspectus.sources.reading import decode_line, numbered_lines, read_bytes

_LONGEST_ID = 1_000
_APPROVED_ONLY = (Kind.INSTRUCTION, Kind.REQUEST)


class _Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    item_id: str
    kind: Kind
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
    signals: dict[str, float] = {}
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
        item = _item(decode_line(line, _Item, path, number), path, number, tenant)
        if item.item_id in lines:
            first = lines[item.item_id]
            raise InputError(str(path), f"{item.item_id!r} is on line {first} already", line=number, field="item_id")
        lines[item.item_id] = number
        items.append(item)
    _refuse_circles(items, lines, path)
    return ItemSource(items)


def _item(record: _Item, path: Path, number: int, tenant: str) -> ContextItem:
    def fail(field: str, message: str) -> InputError:
        return InputError(str(path), message, line=number, field=field)

    fault = _fault(record)
    if fault:
        raise fail(*fault)
    try:
        item = ContextItem(
            item_id=record.item_id,
            kind=record.kind,
            content=record.content,
            source_uri=record.source_uri,
            source_version=record.source_version,
            role=record.role,
            authority=Authority[record.authority.upper()],
            trust=record.trust,
            observed_at=_moment(record.observed_at),
            expires_at=_moment(record.expires_at),
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
            signals=tuple(sorted(record.signals.items())),
        )
    except InputError as error:
        raise fail(error.field, error.message) from error
    except ValueError as error:
        raise fail("observed_at, expires_at", f"is no ISO 8601 time: {error}") from error
    if record.content_hash and record.content_hash != item.content_hash:
        raise fail("content_hash", f"the content has {item.content_hash[:16]}…; it was changed after it was hashed")
    return item


def _fault(record: _Item) -> tuple[str, str] | None:
    """Field and fault of the first thing wrong beyond types, or None."""
    levels = [level.name.lower() for level in Authority if level <= Authority.USER]
    checks = (
        (not record.item_id.strip() or len(record.item_id) > _LONGEST_ID, "item_id", "is empty or too long"),
        (record.kind in _APPROVED_ONLY, "kind", f"{record.kind} comes from --instructions and the question only"),
        (record.authority not in levels, "authority", f"{record.authority!r} is not one of {', '.join(levels)}"),
        (not record.content.strip(), "content", "is empty"),
        ((record.token_count or 0) < 0, "token_count", "is negative"),
        (not 0.0 <= record.signals.get("prior", 0.0) <= 1.0, "signals", "prior lies in 0..1"),
    )  # fmt: skip
    return next(((field, message) for wrong, field, message in checks if wrong), None)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _refuse_circles(items: Sequence[ContextItem], lines: Mapping[str, int], path: Path) -> None:
    """Walk the dependencies depth first, without recursion, and name the first circle."""
    needs = {item.item_id: item.dependencies for item in items}
    done: set[str] = set()
    for start in needs:
        trail: dict[str, None] = {}
        stack = [(start, False)]
        while stack:
            name, leaving = stack.pop()
            if leaving:
                done.add(trail.popitem()[0])
            elif name in trail:
                names = list(trail)
                circle = " → ".join((*names[names.index(name) :], name))
                message = f"depends on itself: {circle}"
                raise InputError(str(path), message, line=lines[name], field="dependencies")
            elif name in needs and name not in done:
                trail[name] = None
                stack.append((name, True))
                stack.extend((need, False) for need in needs[name])
