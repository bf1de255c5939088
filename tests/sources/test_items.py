"""Items of one's own: read whole, or the first bad line is named with its number and field."""

import json
import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.call import Caller, Request
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.message import Role
from conspectus.errors import InputError
from conspectus.sources.items import read_items

GOOD: dict[str, Any] = {"item_id": "a", "kind": "evidence", "content": "x"}


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def read(path: Path) -> tuple[ContextItem, ...]:
    source = read_items(path, "local")
    return source.gather(Request(question="?"), Caller(), datetime(2026, 1, 1, tzinfo=UTC)).items


@pytest.mark.proves("R-SOURCE-ITEMS")
def test_every_field_arrives(tmp_path: Path) -> None:
    record = {
        "item_id": "kb/数据库#1",
        "kind": "memory",
        "content": "PostgreSQL\r\n",
        "source_uri": "kb:1",
        "source_version": "v2",
        "role": "assistant",
        "authority": "user",
        "trust": "trusted",
        "observed_at": "2026-01-01T09:00:00+08:00",
        "expires_at": "2027-01-01T00:00:00Z",
        "tenant": "acme",
        "acl_version": "7",
        "readers": ["ann", "ops"],
        "token_count": 3,
        "dependencies": ["b"],
        "supersedes": ["c"],
        "derived_from": ["d"],
        "parent_call_id": "e",
        "mandatory": True,
        "stable": True,
        "signals": {"prior": 0.5, "fit": 2.0},
    }
    (item,) = read(written(tmp_path / "items.jsonl", record))
    assert item == ContextItem(
        item_id="kb/数据库#1",
        kind=Kind.MEMORY,
        content="PostgreSQL\r\n",
        source_uri="kb:1",
        source_version="v2",
        role=Role.ASSISTANT,
        authority=Authority.USER,
        trust=Trust.TRUSTED,
        observed_at=datetime(2026, 1, 1, 1, tzinfo=UTC),
        expires_at=datetime(2027, 1, 1, tzinfo=UTC),
        tenant="acme",
        acl_version="7",
        readers=frozenset({"ann", "ops"}),
        token_count=3,
        dependencies=("b",),
        supersedes=("c",),
        derived_from=("d",),
        parent_call_id="e",
        mandatory=True,
        stable=True,
        signals=(("fit", 2.0), ("prior", 0.5)),
    )


def test_what_is_not_said_is_harmless(tmp_path: Path) -> None:
    (item,) = read(written(tmp_path / "items.jsonl", GOOD))
    assert (item.authority, item.trust, item.tenant) == (Authority.DATA, Trust.UNTRUSTED, "local")
    assert not item.mandatory


BAD: dict[str, tuple[object, str, str]] = {
    "no object": ([], "", "Expected `object`"),
    "no id": ({"kind": "evidence", "content": "x"}, "item_id", "missing"),
    "a blank id": ({**GOOD, "item_id": " "}, "item_id", "is blank"),
    "an id with a space behind": ({**GOOD, "item_id": "a "}, "item_id", "ends with a space"),
    "an id too long": ({**GOOD, "item_id": "a" * 1_001}, "item_id", "at most 1,000"),
    "an id with a line end": ({**GOOD, "item_id": "a\nb"}, "item_id", "control or invisible"),
    "an id that turns text around": ({**GOOD, "item_id": "a\u202eb"}, "item_id", "control or invisible"),
    "a source that steers": ({**GOOD, "source_uri": "x\x1b[2J"}, "source_uri", "control or invisible"),
    "unknown kind": ({**GOOD, "kind": "fact"}, "kind", "known: demonstration, evidence"),
    "an instruction": ({**GOOD, "kind": "instruction"}, "kind", "--instructions"),
    "a request": ({**GOOD, "kind": "request"}, "kind", "the question only"),
    "the application's authority": ({**GOOD, "authority": "application"}, "authority", "here `data` or `user`"),
    "the platform's authority": ({**GOOD, "authority": "platform"}, "authority", "here `data` or `user`"),
    "no authority": ({**GOOD, "authority": "usr"}, "authority", "did you mean `user`?"),
    "no content": ({**GOOD, "content": " \n"}, "content", "is empty"),
    "misspelt field": ({**GOOD, "contents": "x"}, "contents", "did you mean `content`?"),
    "a naive time": ({**GOOD, "observed_at": "2026-01-01T00:00:00"}, "observed_at", "no time zone"),
    "no time": ({**GOOD, "expires_at": "tomorrow"}, "expires_at", "no ISO 8601 time"),
    "fewer than no tokens": ({**GOOD, "token_count": -1}, "token_count", "is negative"),
    "half a token": ({**GOOD, "token_count": 1.5}, "token_count", "Expected `int"),
    "a prior above one": ({**GOOD, "signals": {"prior": 1.01}}, "signals.prior", "outside 0..1"),
    "a misspelt prior": ({**GOOD, "signals": {"pior": 0.5}}, "signals.pior", "did you mean `prior`?"),
    "a prior in words": ({**GOOD, "signals": {"prior": "high"}}, "signals.prior", 'is no number: "high"'),
    "a prior that is a flag": ({**GOOD, "signals": {"prior": True}}, "signals.prior", "is no number: true"),
    "a prior that is nothing": ({**GOOD, "signals": {"prior": None}}, "signals.prior", "is no number: null"),
    "a score of more than there is": ({**GOOD, "signals": {"fit": 10**400}}, "signals.fit", "no finite number"),
    "a turn beyond the last": ({**GOOD, "signals": {"turn": 2}}, "signals.turn", "outside 0..1"),
    "a misspelt kind": ({**GOOD, "kind": "evidnce"}, "kind", "did you mean `evidence`?"),
    "a score without a name": ({**GOOD, "signals": {" ": 1}}, "signals", "has a name"),
    "a blank reader": ({**GOOD, "readers": [""]}, "readers", "blank name"),
    "a blank dependency": ({**GOOD, "dependencies": [" "]}, "dependencies", "blank name"),
    "another hash": ({**GOOD, "content_hash": "00"}, "content_hash", "was changed after"),
    "a tool that is no JSON": ({**GOOD, "kind": "tool_schema"}, "content", "is a JSON object"),
    "a tool that is a list": ({**GOOD, "kind": "tool_schema", "content": "[]"}, "content", "is a JSON object"),
    "a tool without a name": ({**GOOD, "kind": "tool_schema", "content": "{}"}, "content.name", "has a name"),
    "a tool with two schemas": (
        {**GOOD, "kind": "tool_schema", "content": '{"name": "n", "parameters": {}, "input_schema": {}}'},
        "content",
        "one of them is enough",
    ),
    "a tool with no schema": (
        {**GOOD, "kind": "tool_schema", "content": '{"name": "n", "parameters": []}'},
        "content.parameters",
        "no JSON Schema",
    ),
    "a tool with a misspelt schema": (
        {**GOOD, "kind": "tool_schema", "content": '{"name": "n", "paramters": {}}'},
        "content.paramters",
        "did you mean `parameters`?",
    ),
    "twice": ({**GOOD, "item_id": "first"}, "item_id", "is on line 1 already"),
}


@pytest.mark.proves("R-SOURCE-ITEMS", "R-BAD-KIND", "R-BAD-NAIVE", "R-BAD-DUPLICATE-IDS")
@pytest.mark.parametrize("fault", BAD)
def test_the_first_bad_line_is_named_with_its_field(fault: str, tmp_path: Path) -> None:
    record, field, words = BAD[fault]
    path = written(tmp_path / "items.jsonl", {**GOOD, "item_id": "first"}, record, {"also": "bad"})
    with pytest.raises(InputError) as refused:
        read(path)
    assert (refused.value.path, refused.value.line, refused.value.field) == (str(path), 2, field)
    assert words in str(refused.value)


@pytest.mark.parametrize("score", ["NaN", "1e999", "-Infinity", "true", '"1"'])
def test_a_score_is_a_finite_number(score: str, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(f'{{"item_id": "a", "kind": "evidence", "content": "x", "signals": {{"fit": {score}}}}}')
    with pytest.raises(InputError) as refused:
        read(path)
    assert refused.value.line == 1


@pytest.mark.proves("R-BAD-CYCLE")
@given(st.integers(1, 5), st.integers(0, 3))
def test_a_circle_is_told_in_order_with_the_line_of_its_first(length: int, before: int) -> None:
    names = [f"n{number}" for number in range(length)]
    records = [{**GOOD, "item_id": f"free{number}"} for number in range(before)] + [
        {**GOOD, "item_id": name, "dependencies": [names[(place + 1) % length]]} for place, name in enumerate(names)
    ]
    with pytest.raises(InputError, match="depends on itself") as refused:
        read_records(records)
    circle = refused.value.message.removeprefix("depends on itself: ").split(" → ")
    assert circle[0] == circle[-1]
    assert set(circle) == set(names)
    needs = {record["item_id"]: record.get("dependencies", []) for record in records}
    assert all(following in needs[name] for name, following in pairwise(circle))
    assert refused.value.line == before + names.index(circle[0]) + 1


def read_records(records: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        read(written(Path(folder) / "items.jsonl", *records))


def test_a_missing_dependency_is_left_to_the_assembly(tmp_path: Path) -> None:
    (item,) = read(written(tmp_path / "items.jsonl", {**GOOD, "dependencies": ["elsewhere"]}))
    assert item.dependencies == ("elsewhere",)


@pytest.mark.proves("R-BAD-BOM", "R-BAD-CRLF")
def test_marks_line_ends_and_gaps_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    lines = [json.dumps({**GOOD, "item_id": name}).encode() for name in "ab"]
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n \r\n".join(lines) + b"\r\n")
    assert [item.item_id for item in read(path)] == ["a", "b"]


def test_a_tool_in_any_of_its_spellings_is_one(tmp_path: Path) -> None:
    for schema in ("parameters", "input_schema", "inputSchema"):
        tool = json.dumps({"name": "look", "description": "looks", schema: {"type": "object"}})
        assert read(written(tmp_path / "items.jsonl", {**GOOD, "kind": "tool_schema", "content": tool}))


def test_a_long_chain_of_dependencies_is_no_circle(tmp_path: Path) -> None:
    chain = [{**GOOD, "item_id": str(n), "dependencies": [str(n + 1)]} for n in range(5_000)]
    assert len(read(written(tmp_path / "items.jsonl", *chain))) == 5_000


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"item_id": "a", "item_id": "b", "kind": "note", "content": "x"}', "item_id"),
        ('{"item_id": "a", "kind": "note", "content": "x", "tenant": "t", "tenant": "t"}', "tenant"),
        ('{"item_id": "a", "kind": "note", "content": "x", "signals": {"prior": 1, "prior": 0}}', "signals.prior"),
    ],
)
def test_a_name_that_an_object_has_twice_is_refused(line: str, field: str, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match="is given twice") as refused:
        read_items(path, "local")
    assert (refused.value.line, refused.value.field) == (3, field)


@pytest.mark.proves("R-BAD-KIND")
@pytest.mark.parametrize("kind", ["fact", "instruction", "request"])
def test_only_kinds_that_can_be_given_are_offered(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps({**GOOD, "kind": kind}), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_items(path, "local")
    offered = str(refused.value).partition("known")[2]
    assert "evidence, history" in offered
    assert "instruction" not in offered
    assert "request" not in offered
