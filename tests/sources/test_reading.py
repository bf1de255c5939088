"""Bytes become text and records strictly, or a fault with its line and field; nothing large or endless is read."""

import os
import tempfile
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.errors import InputError
from conspectus.sources.demonstrations import read_demonstrations
from conspectus.sources.instructions import read_instructions
from conspectus.sources.items import read_items
from conspectus.sources.pipes import Patience
from conspectus.sources.reading import (
    closest,
    deceives,
    decode_document,
    decode_line,
    decode_text,
    moment_of,
    numbered_lines,
    read_bytes,
    read_text,
    with_whole_characters,
)
from conspectus.sources.slots import read_slots
from tests.text.strategies import mixed_text

HERE = Path("talk.jsonl")
LONG = 5.0
READERS = {
    "items": lambda path: read_items(path, "local"),
    "examples": read_demonstrations,
    "slots": read_slots,
    "instructions": lambda path: read_instructions([path]),
}


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    size: int


@pytest.mark.proves("R-BAD-BOM", "R-BAD-CRLF")
def test_a_byte_order_mark_is_taken_off_and_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf\xef\xbb\xbfa\r\nb\n")
    assert read_text(path) == "\ufeffa\r\nb\n"


@pytest.mark.proves("R-BAD-UNREADABLE", "R-BAD-VANISHED")
def test_what_is_neither_file_nor_pipe_is_refused_and_nothing_waits(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "zero").symlink_to("/dev/zero")
    started = time.monotonic()
    for name in ("gone", "zero", ".", "absent", "a\0b", "x" * 300):
        with pytest.raises(InputError):
            read_bytes(tmp_path / name)
    assert time.monotonic() - started < 0.5


def poured(path: Path, *pieces: bytes, pause: float = 0.0, close: bool = True) -> threading.Thread:
    """Somebody who opens the pipe at `path` and writes the pieces with a pause before each."""

    def pour() -> None:
        with suppress(BrokenPipeError), path.open("wb", buffering=0) as pipe:
            for piece in pieces:
                time.sleep(pause)
                pipe.write(piece)
            if not close:
                time.sleep(LONG)

    thread = threading.Thread(target=pour, daemon=True)
    thread.start()
    return thread


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@given(st.lists(st.binary(min_size=1, max_size=200_000).map(lambda data: data.replace(b"\0", b" ")), max_size=4))
@settings(max_examples=20)
def test_a_pipe_is_read_to_its_end_whatever_the_pieces(pieces: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipe"
        os.mkfifo(path)
        writer = poured(path, *pieces)
        assert read_bytes(path) == b"".join(pieces).removeprefix(b"\xef\xbb\xbf")
        writer.join()


def test_a_pipe_that_is_slow_but_in_time_is_read(pipe: Path) -> None:
    writer = poured(pipe, b"one\n", b"two\n", pause=0.2)
    assert read_bytes(pipe, patience=Patience(writer=5.0, whole=10.0)) == b"one\ntwo\n"
    writer.join()


def test_a_pipe_without_a_writer_is_not_waited_for_long(pipe: Path) -> None:
    started = time.monotonic()
    with pytest.raises(InputError, match=r"nobody writes to, waited for 0\.1 s"):
        read_bytes(pipe, patience=Patience(writer=0.1, whole=LONG))
    assert time.monotonic() - started < 1.0


def test_a_pipe_that_is_never_closed_is_given_up(pipe: Path) -> None:
    poured(pipe, b"one\n", close=False)
    with pytest.raises(InputError, match=r"is not closed after 0\.3 s; write it to a file first"):
        read_bytes(pipe, patience=Patience(writer=5.0, whole=0.3))


@pytest.mark.proves("R-BAD-HUGE")
def test_an_endless_pipe_is_given_up_at_the_limit(pipe: Path) -> None:
    poured(pipe, *[b"x" * 10_000] * 1_000)
    with pytest.raises(InputError, match="more than the 50,000 bytes"):
        read_bytes(pipe, 50_000)


@pytest.mark.proves("R-BAD-HUGE")
@pytest.mark.parametrize("reader", READERS)
def test_a_file_of_a_gigabyte_is_refused_unread(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as huge:
        huge.truncate(1 << 30)
    started = time.process_time()
    with pytest.raises(InputError, match="1,073,741,824 bytes; at most"):
        READERS[reader](path)
    assert time.process_time() - started < 0.2


@pytest.mark.proves("R-BAD-EMPTY-LINES")
@pytest.mark.parametrize("reader", ["items", "examples"])
def test_a_million_empty_lines_are_counted_and_cost_little(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    path.write_bytes(b"\n" * 1_000_000 + b'{"x": 1}')
    started = time.process_time()
    with pytest.raises(InputError) as refused:
        READERS[reader](path)
    assert refused.value.line == 1_000_001
    assert time.process_time() - started < 2.0


@pytest.mark.proves("R-BAD-UTF8", "R-BAD-NUL", "R-BAD-UNREADABLE")
@pytest.mark.parametrize("reader", READERS)
def test_bytes_that_are_no_text_are_named_with_their_line(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    for data, words in ((b"\n\n\xff", "is not UTF-8"), (b"\n\n\0", "holds a NUL byte")):
        path.write_bytes(data)
        with pytest.raises(InputError, match=words) as refused:
            READERS[reader](path)
        assert refused.value.line == 3
    with pytest.raises(InputError, match="cannot be read"):
        READERS[reader](tmp_path / "absent")


def test_a_wrong_byte_in_a_document_is_named_with_its_own_line() -> None:
    with pytest.raises(InputError, match="byte 0xff") as refused:
        decode_document(b'["a",\n\n"b\xff",\n"c"\n]', list[str], HERE)
    assert refused.value.line == 3


def test_a_file_that_is_longer_than_it_says_is_refused_at_the_limit() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("files without a size are Linux's")
    with pytest.raises(InputError, match="has grown to more than the 10 bytes"):
        read_bytes(Path("/proc/self/status"), 10)


@given(st.lists(mixed_text))
def test_lines_are_numbered_by_line_feeds_and_nothing_else(texts: list[str]) -> None:
    data = "\n".join(texts).encode("utf-8", "replace")
    raw = data.split(b"\n")
    numbered = list(numbered_lines(data))
    assert all(raw[number - 1] == line for number, line in numbered)
    assert [line for line in raw if line.strip()] == [line for _, line in numbered]


def test_separators_inside_a_record_end_no_line() -> None:
    record = '{"name": "a\u2028b\u0085c", "size": 1}'.encode()
    assert [number for number, _ in numbered_lines(record + b"\n" + record)] == [1, 2]
    assert decode_line(record, Pair, HERE, 1).name == "a\u2028b\u0085c"


@pytest.mark.parametrize(
    ("line", "field", "words"),
    [
        (b'{"name": "a", "sise": 1}', "at.sise", "did you mean `size`?"),
        (b'{"name": "a", "colour": 1}', "at.colour", "known: name, size"),
        (b'{"name": "a"}', "at.size", "missing"),
        (b'{"name": "a", "size": 1.5}', "at.size", "Expected `int`"),
        (b'{"name": "a", "size": "1"}', "at.size", "Expected `int`"),
        (b'{"name": "\\ud800", "size": 1}', "at", "half a character"),
        (b'{"name": "\xff", "size": 1}', "at", "is not UTF-8"),
        (b"{" * 10_000, "at", "is no JSON"),
        (b"", "at", "is no JSON"),
    ],
)
def test_a_record_is_read_strictly(line: bytes, field: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        decode_line(line, Pair, HERE, 7, "at")
    assert (refused.value.line, refused.value.field) == (7, field)
    assert words in str(refused.value)


@given(st.binary(max_size=60) | mixed_text.map(lambda text: text.encode("utf-8", "replace")))
def test_no_bytes_raise_anything_but_a_fault(data: bytes) -> None:
    for read in (
        lambda: decode_line(data, Pair, HERE, 1),
        lambda: decode_document(data, list[Pair], HERE),
        lambda: decode_text(data, HERE),
    ):
        try:
            read()
        except InputError as error:
            assert error.path == str(HERE)  # noqa: PT017 - anything else is a failure


@given(st.lists(st.sampled_from([r"\ud83d", r"\ude00", r"\\", r"\n", "a", "数", r"\u00e9", r"\\ud83d"]), max_size=12))
def test_halves_of_characters_become_marks_and_all_else_stays(parts: list[str]) -> None:
    data = ('"' + "".join(parts) + '"').encode()
    mended = with_whole_characters(data)
    text = msgspec.json.decode(mended, type=str)
    assert with_whole_characters(mended) == mended
    assert text.encode().decode() == text
    try:
        assert text == msgspec.json.decode(data, type=str)
    except msgspec.DecodeError:
        assert "\ufffd" in text


def test_moments_have_a_zone() -> None:
    for value in ("2026-01-01T09:00:00+08:00", "2026-01-01T01:00:00Z", 1_767_229_200, 1_767_229_200_000.0):
        assert moment_of(value, HERE, 1, "t") == datetime(2026, 1, 1, 1, tzinfo=UTC)


@pytest.mark.proves("R-BAD-NAIVE")
@pytest.mark.parametrize("value", ["2026-01-01T09:00:00", "2026-01-01", "soon", "", 1e300, float("nan"), -1e20])
def test_what_is_no_moment_is_named(value: str | float) -> None:
    with pytest.raises(InputError) as refused:
        moment_of(value, HERE, 4, "observed_at")
    assert (refused.value.line, refused.value.field) == (4, "observed_at")


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31m", "a\u202eb", "a\u200bb", "数\t据", "a\x7f"])
def test_names_that_show_less_than_they_hold(name: str) -> None:
    assert deceives(name)


@pytest.mark.parametrize("name", ["src/app.py#L1-2", "数据库/表", "naïve café", "한국어"])
def test_names_that_show_what_they_hold(name: str) -> None:
    assert not deceives(name)


def test_a_suggestion_is_made_only_where_it_is_likely() -> None:
    assert closest("contnet", ["content", "kind"]) == "content"
    assert closest("zzz", ["content", "kind"]) == ""
