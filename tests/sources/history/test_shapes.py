"""Every way a conversation may lie in a file is read to the same turns, and what has no place here is told."""

import base64
import json
import struct
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.manifest import Reason
from conspectus.core.message import ImagePart, Role, TextPart, ToolResultPart
from conspectus.sources.history.images import pixels
from tests.sources.history.conversations import Json, gather, paired, results_in, says, sent

TALK = [says("user", "你好"), says("assistant", "hi\r\nthere"), says("user", "bye")]


def spelled(form: str) -> bytes:
    lines = [json.dumps(record, ensure_ascii=False) for record in TALK]
    return {
        "lines": "\n".join(lines),
        "crlf": "\r\n".join(lines) + "\r\n",
        "gaps": "\n\n  \n".join(lines) + "\n\n",
        "mark": "\ufeff" + "\n".join(lines),
        "list": json.dumps(TALK),
        "spread list": json.dumps(TALK, indent=2),
        "body": json.dumps({"model": "m", "messages": TALK, "temperature": 0}),
        "spread body": json.dumps({"messages": TALK}, indent=2),
    }[form].encode()


@pytest.mark.proves("R-BAD-BOM", "R-BAD-CRLF", "R-SOURCE-HISTORY-OPENAI")
@pytest.mark.parametrize("form", ["lines", "crlf", "gaps", "mark", "list", "spread list", "body", "spread body"])
def test_every_spelling_is_the_same_conversation(form: str) -> None:
    gathered = gather(spelled(form))
    assert [(message.role.value, message.text) for message in sent(gathered)] == [
        (record["role"], record["content"]) for record in TALK
    ]
    noted = [(decision.subject, decision.reason) for decision in gathered.decisions]
    assert noted == ([("source/history", Reason.IGNORED)] if form == "body" else [])


def test_the_system_prompt_of_a_body_is_shown_as_data() -> None:
    gathered = gather(json.dumps({"system": "be kind", "messages": TALK}).encode())
    assert gathered.items[0].item_id == "history/0"
    assert "be kind" in gathered.items[0].content
    assert gathered.items[0].messages == ()


def test_an_empty_file_is_an_empty_conversation() -> None:
    for data in (b"", b"\n\n", b"[]", b'{"messages": []}'):
        assert gather(data).items == ()


@pytest.mark.proves("R-SOURCE-HISTORY-ANTHROPIC", "R-PAIN-P035")
def test_anthropics_blocks_are_read() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": gif(7, 5)}}
    use = {"type": "tool_use", "id": "a", "name": "look", "input": {"n": 1}, "cache_control": {"type": "ephemeral"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "seen"}, picture]}
    found = {
        "type": "search_result",
        "source": "https://x.test",
        "title": "T",
        "content": [{"type": "text", "text": "found"}],
    }
    paper = {
        "type": "document",
        "title": "Paper",
        "source": {"type": "text", "media_type": "text/plain", "data": "body"},
    }
    records: list[Json] = [
        {"role": "user", "content": [picture, {"type": "image", "source": {"type": "url", "url": "https://x.test/p"}}]},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "user", "content": [found, paper]},
    ]
    gathered = gather(records, strict=True)
    shown = ImagePart(media_type="image/gif", data=gif(7, 5), width=7, height=5)
    assert sent(gathered)[0].parts == (shown, ImagePart(url="https://x.test/p"))
    assert results_in(gathered.items[1]) == [
        ToolResultPart(call_id="a", name="look", text="seen", images=(shown,)),
    ]
    assert sent(gathered)[-1].text == "T (https://x.test)\nfoundPaper\nbody"
    assert "7×5" in gathered.items[0].content
    assert gif(7, 5) not in gathered.items[0].content


@pytest.mark.proves("R-SOURCE-HISTORY-OPENAI", "R-PAIN-P035")
def test_openais_blocks_are_read() -> None:
    records: list[Json] = [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{gif(3, 2)}", "detail": "low"}},
                {"type": "image_url", "image_url": "https://x.test/p"},
            ],
        },
        {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": '{"n": 1}'}},
        {"role": "function", "name": "old", "content": "done"},
        {"role": "assistant", "refusal": "I will not"},
    ]
    gathered = gather(records)
    assert sent(gathered)[0].parts == (
        TextPart(text="look"),
        ImagePart(media_type="image/gif", data=gif(3, 2), width=3, height=2, detail="low"),
        ImagePart(url="https://x.test/p"),
    )
    assert paired(gathered) == [('{"n": 1}', "done")]
    assert sent(gathered)[-1] == sent(gather([says("assistant", "I will not")]))[0]


def test_times_are_read_with_their_zone_and_a_unit_has_the_latest() -> None:
    records: list[Json] = [
        {**says("user", "a"), "timestamp": "2026-01-01T09:00:00+08:00"},
        {**says("user", "b"), "created_at": 1_767_229_200},
        {**says("user", "c"), "timestamp": 1_767_229_200_000.0},
    ]
    assert {item.observed_at for item in gather(records).items} == {
        datetime(2026, 1, 1, 1, tzinfo=UTC),
    }


def test_what_has_no_place_is_named_once_with_its_number_and_first_line() -> None:
    records = [says("user", "a"), {**says("user", "b"), "mood": "x"}, {**says("user", "c"), "mood": "y", "id": "m1"}]
    (decision,) = gather(records, strict=True).decisions
    assert (decision.subject, decision.reason) == ("source/history", Reason.IGNORED)
    assert decision.detail == "'mood' left out, 2 times, first on line 2"


def test_roles_are_the_neutral_ones() -> None:
    roles = [message.role for message in sent(gather(TALK))]
    assert roles == [Role.USER, Role.ASSISTANT, Role.USER]


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def gif(width: int, height: int) -> str:
    return encoded(b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0")


def chunked(kind: bytes, body: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + b"\0\0\0\0" + body.ljust(20, b"\0")


PICTURES: dict[str, bytes] = {
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR" + struct.pack(">II", 640, 480),
    "gif": b"GIF87a" + struct.pack("<HH", 640, 480),
    "jpeg": b"\xff\xd8\xff\xe0\0\x04xx\xff\xff\xc2\0\x11\x08" + struct.pack(">HH", 480, 640),
    "webp lossy": chunked(b"VP8 ", b"\0" * 6 + struct.pack("<HH", 640 | 0x4000, 480)),
    "webp lossless": chunked(b"VP8L", b"\x2f" + struct.pack("<I", 639 | 479 << 14)),
    "webp extended": chunked(b"VP8X", b"\0" * 4 + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")),
}


@pytest.mark.parametrize("name", PICTURES)
def test_sizes_of_pictures_are_read_from_their_first_bytes(name: str) -> None:
    assert pixels(encoded(PICTURES[name])) == (640, 480)
    for end in range(0, len(PICTURES[name]), 3):
        assert pixels(encoded(PICTURES[name][:end])) in {(0, 0), (640, 480)}


@given(st.sampled_from(list(PICTURES.values())), st.binary(max_size=40), st.text(max_size=20))
def test_no_bytes_make_the_size_of_a_picture_an_error(head: bytes, tail: bytes, text: str) -> None:
    for data in (encoded(head[:12] + tail), encoded(head[:4] + tail), text):
        size: Any = pixels(data)
        assert len(size) == 2
