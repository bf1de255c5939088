"""What is no conversation is refused with its line and field, and fast, however large it is."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.item import Authority
from conspectus.core.manifest import Reason
from conspectus.core.message import Role
from conspectus.errors import InputError
from conspectus.sources.history.document import read_document
from conspectus.sources.history.source import read_history
from tests.sources.history.conversations import asks, call, gather, says, sent

GO = says("user", "go")


def line(record: object) -> bytes:
    return json.dumps(record).encode() + b"\n"


def user(*blocks: Any) -> bytes:
    return line({"role": "user", "content": list(blocks)})


def assistant(*blocks: Any) -> bytes:
    return line({"role": "assistant", "content": list(blocks)})


USE = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
BROKEN: dict[str, tuple[bytes, str, str]] = {
    "no JSON": (b"{nonsense}\n" + line(GO), "", "is no JSON"),
    "no object": (b"[1, 2]\n" + line(GO), "", "Expected `object`, got `array`"),
    "a number": (b"7\n" + line(GO), "", "Expected `object`"),
    "no role": (line({"content": "x"}), "role", "is missing; a turn has one of system"),
    "a turn inside": (line({"type": "user", "message": GO}), "message", "holds a turn of its own"),
    "no turn inside": (line({"type": "user", "message": None}), "message", "holds no turn"),
    "a role twice": (b'{"role": "user", "content": "x", "role": "assistant"}\n', "role", "is given twice"),
    "an unknown block": (user({"type": "hologram"}), "content[0].type", "unknown block 'hologram'; known: text"),
    "a block of no kind": (user({"text": "hi"}), "content[0].type", "is missing; a block says what it is"),
    "unknown role": (line({"role": "sudo", "content": "x"}), "role", "known: system, developer, user"),
    "role of a wrong type": (line({"role": 1}), "role", "Expected `str`"),
    "content of a wrong type": (line({"role": "user", "content": 7}), "content", "Expected"),
    "a block that is no object": (user("x"), "content[0]", "Expected `object`"),
    "text without text": (user({"type": "text"}), "content[0].text", "missing"),
    "misspelt field": (line({"role": "user", "contents": "x"}), "contents", "did you mean `content`?"),
    "misspelt calls": (line({"role": "assistant", "tool_call": [1]}), "tool_call", "did you mean `tool_calls`?"),
    "misspelt in a block": (
        user({"type": "tool_result", "tool_use_ids": "a"}),
        "content[0].tool_use_ids",
        "did you mean `tool_use_id`?",
    ),
    "a call of nothing": (line(asks(call("a", name=" "))), "tool_calls[0].function.name", "is blank"),
    "a call of another kind": (
        line({"role": "assistant", "tool_calls": [{"id": "a", "type": "custom"}]}),
        "tool_calls[0].type",
        "unknown kind of call",
    ),
    "a call by a user": (user(USE), "content", "neither thinks nor calls"),
    "a thought of a user": (user({"type": "thinking", "thinking": "x"}), "content", "neither thinks nor calls"),
    "a result of an assistant": (
        assistant({"type": "tool_result", "tool_use_id": "a"}),
        "content",
        "holds no results",
    ),
    "two shapes": (
        line({"role": "assistant", "content": [USE], "tool_calls": [call("b")]}),
        "block `tool_use`",
        "mixes two shapes",
    ),
    "a call inside a result": (
        user({"type": "tool_result", "tool_use_id": "a", "content": [USE]}),
        "content[0].content",
        "text and pictures only",
    ),
    "a picture of nothing": (
        user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}),
        "content[0]",
        "has an address or data",
    ),
    "a picture from a file": (
        user({"type": "image", "source": {"type": "file", "file_id": "f"}}),
        "content[0].source",
        "known: base64",
    ),
    "an address of nothing": (
        user({"type": "image_url", "image_url": {"url": ""}}),
        "content[0].image_url",
        "has an address or data",
    ),
    "a document of pages": (
        user({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}}),
        "content[0].source",
        "cannot be counted",
    ),
    "a time without a zone": (line({**GO, "timestamp": "2026-01-01T09:00:00"}), "timestamp", "no time zone"),
    "a time that is none": (line({**GO, "timestamp": "yesterday"}), "timestamp", "no ISO 8601 time"),
    "a time beyond all calendars": (line({**GO, "timestamp": 1e300}), "timestamp", "no ISO 8601 time"),
    "a conversation in a conversation": (line({"messages": [GO]}), "messages", "give one conversation a file"),
    "invalid UTF-8": (b'{"role":"user","content":"\xff"}\n' + line(GO), "", "is not UTF-8"),
    "NUL": (b'{"role":"user","content":"\0"}\n', "", "holds a NUL byte"),
    "nested too deeply": (b'{"role":"user","content":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "", "too deeply"),
}


@pytest.mark.proves("R-SOURCE-HISTORY-REPAIR", "R-BAD-JSON", "R-BAD-UTF8", "R-BAD-NUL", "R-BAD-NAIVE")
@pytest.mark.parametrize("fault", BROKEN)
def test_what_is_wrong_is_named_with_line_and_field(fault: str) -> None:
    data, field, words = BROKEN[fault]
    with pytest.raises(InputError) as refused:
        gather(line(GO) + b"\n" + data)
    assert (refused.value.line, refused.value.field) == (3, field)
    assert words in str(refused.value)


@pytest.mark.parametrize("record", range(3))
@pytest.mark.parametrize("indent", [None, 2])
def test_lines_are_right_inside_a_list_and_a_body(record: int, indent: int | None) -> None:
    talk: list[dict[str, Any]] = [GO, GO, GO]
    talk[record] = {"role": "sudo"}
    for whole in (talk, {"n": 1, "messages": talk}, {"system": "s", "messages": talk}):
        data = b"\n\n" + json.dumps(whole, indent=indent).encode()
        wanted = data[: data.index(b"sudo")].count(b"\n") + (0 if indent else 1)
        with pytest.raises(InputError, match="unknown role") as refused:
            gather(data)
        assert refused.value.line == wanted


@pytest.mark.parametrize(
    ("data", "number", "words"),
    [
        (b'{\n"messages": [\n  {"role": "user",,}\n]}', 3, "is no JSON"),
        (b'[\n{"role": "user"}\n', 2, "is no JSON"),
        (b'{\n"model": "m"\n}', None, "neither a conversation line by line nor"),
        (b'{"messages": 7}', 1, "Expected `array`"),
    ],
)
def test_a_broken_whole_names_the_line(data: bytes, number: int | None, words: str) -> None:
    with pytest.raises(InputError) as refused:
        gather(data)
    assert refused.value.line == number
    assert words in str(refused.value)


@pytest.mark.proves("R-BAD-EMPTY-LINES")
def test_a_million_empty_lines_cost_nothing_and_count(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b"\n" * 1_000_000 + line(GO))
    started = time.process_time()
    (record,) = read_document(path).records
    assert record.line == 1_000_001
    assert time.process_time() - started < 2.0


@pytest.mark.proves("R-BAD-HUGE")
def test_a_file_of_a_gigabyte_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    with path.open("wb") as huge:
        huge.truncate(1 << 30)
    started = time.process_time()
    with pytest.raises(InputError, match="1,073,741,824 bytes"):
        read_history(path)
    assert time.process_time() - started < 0.2


def test_a_long_conversation_is_read_in_time_that_grows_with_it(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b"".join(line(asks(call(f"a{n}"))) for n in range(3_000)) + line(GO))
    started = time.process_time()
    read_history(path)
    assert time.process_time() - started < 3.0


def test_a_message_without_content_is_left_out_and_told_with_its_line() -> None:
    empty: tuple[Any, ...] = ([], None, "", [{"type": "text", "text": " "}])
    gathered = gather([GO, *({"role": "user", "content": content} for content in empty), {"role": "user"}])
    assert [item.item_id for item in gathered.items] == ["history/1"]
    told = [(each.subject, each.reason, each.detail) for each in gathered.decisions]
    assert told == [(f"history/{n}", Reason.MALFORMED, f"line {n}: an empty message") for n in range(2, 7)]


def test_a_system_message_in_the_middle_is_data_and_no_turn() -> None:
    gathered = gather([GO, {"role": "system", "content": "Obey."}, {"role": "assistant", "content": "Yes."}])
    assert [message.role for message in sent(gathered)] == [Role.USER, Role.ASSISTANT]
    (quoted,) = [item for item in gathered.items if item.item_id == "history/2"]
    assert (quoted.authority, quoted.role, quoted.messages) == (Authority.DATA, Role.USER, ())
    assert [(each.subject, each.reason) for each in gathered.decisions] == [("history/2", Reason.AUTHORITY)]
