"""Candidates come out of the archive as they went in, or it is said what is gone."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given

from conspectus.core.call import Request
from conspectus.core.canonical import digest
from conspectus.core.item import ContextItem, Kind
from conspectus.core.message import Message, Role, ToolCallPart, ToolResultPart
from conspectus.errors import BlobMissing, Corrupt
from conspectus.storage.archive import BlobArchive
from conspectus.storage.candidates import keep, recall
from conspectus.storage.home import Home
from conspectus.storage.turns import decode_turns, encode_turns
from tests.storage.strategies import CANDIDATES, NOW, REQUESTS, TURNS

CALL = Message(role=Role.ASSISTANT, parts=(ToolCallPart(call_id="1", name="look", arguments='{"at": 1'),))
RESULT = Message(role=Role.TOOL, parts=(ToolResultPart(call_id="1", text="found 证据"),))
ITEMS = (
    ContextItem(item_id="b", kind=Kind.EVIDENCE, content="shared", source_uri="file:b", readers=frozenset("yxz")),
    ContextItem(item_id="a", kind=Kind.NOTE, content="shared", expires_at=NOW + timedelta(days=1)),
    ContextItem(item_id="history/1", kind=Kind.HISTORY, content="look", source_uri="chat", messages=(CALL, RESULT)),
)
REQUEST = Request(question="Where?")


@pytest.fixture
def archive(tmp_path: Path) -> BlobArchive:
    return BlobArchive(Home(tmp_path), "keep", NOW)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> BlobArchive:
    return BlobArchive(Home(tmp_path_factory.mktemp("home")), "keep", NOW)


@given(turns=TURNS)
def test_any_turns_come_back(turns: tuple[Message, ...]) -> None:
    assert decode_turns(encode_turns(turns)) == turns


@pytest.mark.proves("R-DOOR-RETENTION", "R-CONTRACT-REPLAY")
@given(items=CANDIDATES, request_=REQUESTS)
def test_any_candidates_come_back_with_readers_tenant_and_expiry(
    shared: BlobArchive, items: list[ContextItem], request_: Request
) -> None:
    found = recall(shared, "t", keep(shared, "t", items, request_), NOW)
    assert found.request == request_
    assert list(found.items) == sorted(items, key=lambda item: item.item_id)


@pytest.mark.proves("R-HOUSE-DETERMINISM")
def test_the_same_candidates_in_another_order_have_the_same_key(archive: BlobArchive) -> None:
    key = keep(archive, "t", ITEMS, REQUEST)
    turned = tuple(replace(item, readers=frozenset(sorted(item.readers, reverse=True))) for item in reversed(ITEMS))
    assert keep(archive, "t", turned, REQUEST) == key


def test_content_is_kept_once_and_apart_from_what_is_known_about_it(archive: BlobArchive) -> None:
    key = keep(archive, "t", ITEMS, REQUEST)
    document = json.loads(archive.fetch("t", key, "s"))
    assert document["schema_version"] == 1
    assert [item["content"] for item in document["items"]].count(digest(b"shared")) == 2
    assert b"shared" not in archive.fetch("t", key, "s")
    assert document["items"][1]["readers"] == ["x", "y", "z"]


@pytest.mark.proves("R-DOOR-RETENTION")
def test_an_expired_item_is_gone_even_where_its_text_is_kept_for_another(archive: BlobArchive) -> None:
    key = keep(archive, "t", ITEMS, REQUEST)
    assert len(recall(archive, "t", key, NOW).items) == 3
    with pytest.raises(BlobMissing) as missing:
        recall(archive, "t", key, NOW + timedelta(days=1))
    assert missing.value.source == "a"


@pytest.mark.proves("R-EXIT-5")
@pytest.mark.parametrize(
    ("gone", "source"), [(b"shared", "a"), (b"look", "chat"), (encode_turns((CALL, RESULT)), "chat")]
)
def test_what_is_gone_is_named_by_its_source(archive: BlobArchive, gone: bytes, source: str) -> None:
    key = keep(archive, "t", ITEMS, REQUEST)
    assert archive.forget("t", digest(gone))
    with pytest.raises(BlobMissing) as missing:
        recall(archive, "t", key, NOW)
    assert (missing.value.digest, missing.value.source) == (digest(gone), source)


def test_another_tenant_finds_nothing(archive: BlobArchive) -> None:
    key = keep(archive, "one", ITEMS, REQUEST)
    with pytest.raises(BlobMissing):
        recall(archive, "two", key, NOW)


@pytest.mark.proves("R-DOOR-STATE")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": [{"id": "", "kind": "note", "hash": "", "content": digest(b"shared")}]}, "archived item"),
        ({"schema_version": 2}, "version 2 and this installation knows 1"),
        ({"schema_version": "1"}, "damaged"),
        ({"items": [{"id": "a"}]}, "damaged"),
        ({"request": None}, "damaged"),
    ],
)
def test_a_newer_or_damaged_document_is_refused(archive: BlobArchive, change: dict[str, object], message: str) -> None:
    key = keep(archive, "t", ITEMS, REQUEST)
    document = json.loads(archive.fetch("t", key, "s")) | change
    (damaged,) = archive.put("t", [json.dumps(document).encode()])
    with pytest.raises(Corrupt, match=message):
        recall(archive, "t", damaged, NOW)


@pytest.mark.parametrize(
    ("field", "blob"),
    [("content", b"another text"), ("content", b"\xff"), ("turns", b"{"), ("turns", b'[["tool",[["thing",{}]]]]')],
)
def test_content_that_does_not_belong_to_its_item_is_refused(archive: BlobArchive, field: str, blob: bytes) -> None:
    key = keep(archive, "t", ITEMS, REQUEST)
    document = json.loads(archive.fetch("t", key, "s"))
    document["items"][2][field] = archive.put("t", [blob])[0]
    (changed,) = archive.put("t", [json.dumps(document).encode()])
    with pytest.raises(Corrupt, match="archived item history/1"):
        recall(archive, "t", changed, NOW)
