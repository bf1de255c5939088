"""ContextItem, the one shape of anything that may enter a context, and the words that describe it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum

from conspectus.core.canonical import canonical_hash, text_hash
from conspectus.core.message import Message, Role
from conspectus.errors import InputError

_UNUSABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Kind(StrEnum):
    """What an item is; decides its place in the layout and its share of the budget."""

    INSTRUCTION = "instruction"
    REQUEST = "request"
    DEMONSTRATION = "demonstration"
    EVIDENCE = "evidence"
    HISTORY = "history"
    CHECKPOINT = "checkpoint"
    MEMORY = "memory"
    NOTE = "note"
    TOOL_SCHEMA = "tool_schema"
    TOOL_RESULT = "tool_result"


class Authority(IntEnum):
    """Whose policy an item may change: data < user < application < platform."""

    DATA = 0
    USER = 1
    APPLICATION = 2
    PLATFORM = 3


class Trust(StrEnum):
    """Whether the operator vouches for a source; only trusted sources can stand in conflict with each other."""

    UNTRUSTED = "untrusted"
    TRUSTED = "trusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """A candidate for one model call.

    Attributes:
        item_id: a readable path, such as `file/src/app.py#L10-42`.
        content: the text as the source holds it; for history the readable transcript of `messages`.
        content_hash: SHA-256 of content and messages; computed, never given.
        source_uri, source_version: where it came from and which state of it (a content hash or a revision).
        observed_at, expires_at: when it was true, and from when it no longer may be used; with time zone.
        tenant: the only tenant that may see it.
        readers: principals and groups that may read it; empty means the whole tenant.
        token_count: tokens the source claims; informative, an exact count is always made.
        dependencies: ids that have to be in when this one is.
        supersedes: ids that this one replaces.
        derived_from: ids it was made from; it never has more authority than any of them.
        parent_call_id: id of the item that holds the tool call this is the result of.
        mandatory: must be in, whole.
        stable: unlikely to change between calls, so it is placed first among its kind.
        signals: named scores from its source, sorted by name; `prior` is the caller's own relevance in 0..1.
        messages: the turns of a history unit in their own form; they enter together or not at all.

    Raises:
        InputError: the id holds control characters or lone surrogates, or a time has no time zone.
    """

    item_id: str
    kind: Kind
    content: str
    source_uri: str = ""
    source_version: str = ""
    role: Role = Role.USER
    authority: Authority = Authority.DATA
    trust: Trust = Trust.UNTRUSTED
    observed_at: datetime | None = None
    expires_at: datetime | None = None
    tenant: str = "local"
    acl_version: str = ""
    readers: frozenset[str] = frozenset()
    token_count: int | None = None
    dependencies: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    parent_call_id: str = ""
    mandatory: bool = False
    stable: bool = False
    signals: tuple[tuple[str, float], ...] = ()
    messages: tuple[Message, ...] = ()
    content_hash: str = ""

    def __post_init__(self) -> None:
        """Refuse an unusable id or time, and stamp the content hash: no copy can carry the hash of another text."""
        if not self.item_id or _UNUSABLE.search(self.item_id):
            raise InputError(repr(self.item_id), "an id is printable text", field="item_id")
        for name, moment in (("observed_at", self.observed_at), ("expires_at", self.expires_at)):
            if moment is not None and moment.tzinfo is None:
                raise InputError(self.item_id, "has no time zone; write it like 2026-01-31T09:00:00+08:00", field=name)
        stamp = canonical_hash((self.content, self.messages)) if self.messages else text_hash(self.content)
        object.__setattr__(self, "content_hash", stamp)

    def signal(self, name: str) -> float | None:
        """The score called `name`, or None when the source gave none."""
        if not self.signals:
            return None
        return next((score for signal, score in self.signals if signal == name), None)


def lowest_authority(authorities: Iterable[Authority]) -> Authority:
    """The authority something derived from these may have at most: the lowest of them, PLATFORM of none."""
    return min(authorities, default=Authority.PLATFORM)
