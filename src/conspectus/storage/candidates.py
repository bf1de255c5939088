"""The authorized candidates of one assembly, put into an archive and taken out again; who may read them is for replay.

One JSON document holds what is known about every item, its readers, tenant and expiry included; content lies apart
under its own hash, so that assemblies of the same folder share it and it can end before the document does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from conspectus.core.call import Request
from conspectus.core.canonical import digest as digest_of
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.message import Message, Role
from conspectus.errors import BlobMissing, Corrupt, InputError
from conspectus.storage.archive import ExpiringArchive
from conspectus.storage.turns import decode_turns, encode_turns

CANDIDATES_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What a payload was made from: the authorized items, by id, and the request."""

    items: tuple[ContextItem, ...]
    request: Request


class _Stored(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item without its content; `content` and `turns` are the digests of the blobs that hold it."""

    id: str
    kind: Kind
    hash: str
    content: str
    turns: str = ""
    source_uri: str = ""
    source_version: str = ""
    role: Role = Role.USER
    authority: Authority = Authority.DATA
    trust: Trust = Trust.UNTRUSTED
    observed_at: datetime | None = None
    expires_at: datetime | None = None
    tenant: str = "local"
    acl_version: str = ""
    readers: tuple[str, ...] = ()
    token_count: int | None = None
    dependencies: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    parent_call_id: str = ""
    mandatory: bool = False
    stable: bool = False
    signals: tuple[tuple[str, float], ...] = ()


class _Document(msgspec.Struct, frozen=True):
    schema_version: int
    request: Request
    items: tuple[_Stored, ...]


class _Version(msgspec.Struct, frozen=True):
    schema_version: int


def keep(archive: ExpiringArchive, tenant: str, items: Sequence[ContextItem], request: Request) -> str:
    """Archive the candidates in one batch; the digest of their document, for the manifest's `candidates`.

    Content ends with its item: it is not kept beyond `expires_at`.

    Raises:
        StorageError: they could not be kept; nothing was.
    """
    blobs: list[bytes] = []
    ends: list[datetime | None] = []
    stored: list[_Stored] = []
    for item in sorted(items, key=lambda item: item.item_id):
        content = item.content.encode()
        turns = encode_turns(item.messages) if item.messages else b""
        blobs += [content, turns] if turns else [content]
        ends += [item.expires_at] * (2 if turns else 1)
        digest = digest_of(content) if item.messages else item.content_hash
        stored.append(_stored(item, digest, digest_of(turns) if turns else ""))
    document = msgspec.json.encode(
        _Document(schema_version=CANDIDATES_VERSION, request=request, items=tuple(stored)), order="deterministic"
    )
    return archive.put(tenant, [*blobs, document], ends=[*ends, None])[-1]


def recall(archive: ExpiringArchive, tenant: str, digest: str, now: datetime) -> Candidates:
    """The candidates behind a manifest, as they were.

    Raises:
        BlobMissing: the document, or the content of an item, is gone or has expired by `now`; it names the source.
        Corrupt: what is there is not what was kept, or of a newer version.
    """
    document = _decoded(archive.fetch(tenant, digest, "the candidates"), digest)
    wanted: dict[str, str] = {}
    for stored in document.items:
        source = stored.source_uri or stored.id
        if stored.expires_at is not None and stored.expires_at <= now:
            raise BlobMissing(stored.content, source)
        wanted.setdefault(stored.content, source)
        if stored.turns:
            wanted.setdefault(stored.turns, source)
    blobs = archive.fetch_many(tenant, wanted)
    return Candidates(items=tuple(_whole(stored, blobs) for stored in document.items), request=document.request)


def _decoded(data: bytes, digest: str) -> _Document:
    name = f"archived candidates {digest[:12]}"
    try:
        version = msgspec.json.decode(data, type=_Version).schema_version
        if version != CANDIDATES_VERSION:
            raise Corrupt(name, f"are of version {version} and this installation knows {CANDIDATES_VERSION}")
        return msgspec.json.decode(data, type=_Document)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise Corrupt(name, f"are damaged ({error})") from error


def _stored(item: ContextItem, content: str, turns: str) -> _Stored:
    return _Stored(
        id=item.item_id,
        kind=item.kind,
        hash=item.content_hash,
        content=content,
        turns=turns,
        source_uri=item.source_uri,
        source_version=item.source_version,
        role=item.role,
        authority=item.authority,
        trust=item.trust,
        observed_at=_utc(item.observed_at),
        expires_at=_utc(item.expires_at),
        tenant=item.tenant,
        acl_version=item.acl_version,
        readers=tuple(sorted(item.readers)),
        token_count=item.token_count,
        dependencies=item.dependencies,
        supersedes=item.supersedes,
        derived_from=item.derived_from,
        parent_call_id=item.parent_call_id,
        mandatory=item.mandatory,
        stable=item.stable,
        signals=item.signals,
    )


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


def _whole(stored: _Stored, blobs: Mapping[str, bytes]) -> ContextItem:
    """The item again, checked against the hash it was kept under."""
    name = f"archived item {stored.id}"
    try:
        content = blobs[stored.content].decode()
        messages = decode_turns(blobs[stored.turns]) if stored.turns else ()
        item = _item(stored, content, messages)
    except (UnicodeDecodeError, msgspec.ValidationError, msgspec.DecodeError, InputError) as error:
        raise Corrupt(name, f"is damaged ({error})") from error
    if item.content_hash != stored.hash:
        raise Corrupt(name, "does not have the hash it was kept under")
    return item


def _item(stored: _Stored, content: str, messages: tuple[Message, ...]) -> ContextItem:
    return ContextItem(
        item_id=stored.id,
        kind=stored.kind,
        content=content,
        source_uri=stored.source_uri,
        source_version=stored.source_version,
        role=stored.role,
        authority=stored.authority,
        trust=stored.trust,
        observed_at=stored.observed_at,
        expires_at=stored.expires_at,
        tenant=stored.tenant,
        acl_version=stored.acl_version,
        readers=frozenset(stored.readers),
        token_count=stored.token_count,
        dependencies=stored.dependencies,
        supersedes=stored.supersedes,
        derived_from=stored.derived_from,
        parent_call_id=stored.parent_call_id,
        mandatory=stored.mandatory,
        stable=stored.stable,
        signals=stored.signals,
        messages=messages,
    )
