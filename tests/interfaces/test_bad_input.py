"""Bad input: one clear message with what to do next, the family's exit code, an empty stdout, and nothing lost."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from conspectus.errors import (
    ApprovalRequired,
    BlobMissing,
    ContextError,
    IncompleteReply,
    InputError,
    MissingDependency,
    ReplayDrift,
    SpecError,
    StorageFull,
    ToolTimeout,
    UnknownRevision,
)
from conspectus.interfaces.cli.exits import EXIT_CODES, exit_code
from tests.interfaces.door import NOW, Outcome, assembled, items, knock, refused

QUESTION = "Where are retries configured?"

pytestmark = pytest.mark.usefixtures("shop")


def ask(*arguments: object) -> Outcome:
    return knock("assemble", QUESTION, "--now", NOW, *arguments)


@pytest.mark.proves("R-EXIT-2", "R-EXIT-3", "R-EXIT-4", "R-EXIT-5", "R-EXIT-6", "R-EXIT-7", "R-EXIT-8")
def test_every_family_of_errors_has_its_exit_code() -> None:
    errors: list[tuple[ContextError, int]] = [
        (UnknownRevision("profile", "x"), 2),
        (SpecError(), 2),
        (InputError("x", "y"), 3),
        (MissingDependency("x", ["y"]), 4),
        (ReplayDrift("a", "b"), 5),
        (BlobMissing("a", "b"), 5),
        (StorageFull("x"), 6),
        (ToolTimeout("x", 1.0), 7),
        (ApprovalRequired("a", "b"), 7),
        (IncompleteReply("x", "cut"), 8),
    ]
    assert [exit_code(error) for error, _ in errors] == [code for _, code in errors]
    assert {family for family, _ in EXIT_CODES} == set(ContextError.__subclasses__())
    assert exit_code(ZeroDivisionError()) == 1


@pytest.mark.proves("R-BAD-QUESTION", "R-EXIT-3")
def test_a_question_that_is_no_text() -> None:
    refused(knock("assemble", "\udcff", "--in", "shop"), 3, "QUESTION", "UTF-8")


@pytest.mark.proves("R-BAD-QUESTION", "R-EXIT-3")
@pytest.mark.parametrize("question", ["", "  \n\t "])
def test_an_empty_question(question: str) -> None:
    refused(knock("assemble", question, "--in", "shop"), 3, "QUESTION", "empty")


@pytest.mark.proves("R-BAD-LIMIT-IMPOSSIBLE", "R-BAD-RESERVE", "R-BAD-PROFILE", "R-BAD-KIND", "R-EXIT-2")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--input-limit", -1), ("-1", "at least 1")),
        (("--input-limit", 0), ("0 tokens", "at least 1")),
        (("--input-limit", "many"), ("--input-limit", "integer")),
        (("--output-reserve", -1), ("negative",)),
        (("--loop-reserve", -1), ("negative",)),
        (("--output-reserve", 128_000), ("128,000", "lower a reserve")),
        (("--output-reserve", 1, "--loop-reserve", 127_999), ("lower a reserve",)),
        (("--model", "nope"), ("unknown profile 'nope'", "o200k")),
        (("--share", "opinion=1:2"), ("unknown kind 'opinion'", "evidence")),
        (("--share", "evidence"), ("KIND=MIN:MAX",)),
        (("--share", "evidence=1:2:3"), ("KIND=MIN:MAX",)),
        (("--share", "evidence=-1:"), ("KIND=MIN:MAX",)),
        (("--share", "evidence=9:1"), ("no range",)),
        (("--share", "evidence=101%:"), ("at most 100%",)),
        (("--share", "evidence=16001:"), ("exceed",)),
        (("--share", "evidence=1:2", "--share", "evidence=3:4"), ("twice",)),
        (("--format", "xml"), ("'xml'", "anthropic")),
        (("--now", "2026-12-01T09:00:00"), ("no time zone", "Z")),
        (("--now", "yesterday"), ("ISO 8601", "2026-11-30T12:00:00Z")),
        (("--no-such-option",), ("no-such-option",)),
    ],
)
def test_settings_that_cannot_be_met(arguments: tuple[object, ...], words: tuple[str, ...]) -> None:
    refused(ask("--in", "shop", *arguments), 2, *words)


@pytest.mark.proves("R-BAD-LIMIT-ONE", "R-EXIT-4")
def test_a_limit_of_one_names_every_mandatory_item_with_its_tokens() -> None:
    Path("policy.md").write_text("Answer in one sentence.", encoding="utf-8")
    outcome = ask("--instructions", "policy.md", "--whole", "http.py", "--in", "shop", "--input-limit", 1)
    refused(outcome, 4, "request", "instruction/policy.md", "file/http.py", "tokens", "raise the input limit")


@pytest.mark.proves("R-BAD-LIMIT-EXACT")
def test_exactly_enough_fits_and_one_less_does_not() -> None:
    ask("--manifest", "m.json")
    needed = json.loads(Path("m.json").read_bytes())["input_tokens"]
    assert ask("--input-limit", needed).code == 0
    refused(ask("--input-limit", needed - 1), 4, f"{needed:,}")


@pytest.mark.proves("R-BAD-UNREADABLE")
@pytest.mark.parametrize("option", ["--in", "--history", "--items", "--instructions", "--examples", "--slots"])
def test_a_file_that_is_not_there(option: str) -> None:
    refused(ask(option, "nowhere"), 3, "nowhere")


@pytest.mark.parametrize("option", ["--history", "--items", "--instructions", "--examples", "--slots"])
def test_a_folder_where_a_file_belongs_and_a_pipe(option: str) -> None:
    os.mkfifo("pipe")
    refused(ask(option, "shop"), 3, "shop")
    refused(ask(option, "pipe"), 3, "pipe")


@pytest.mark.proves("R-BAD-UTF8", "R-BAD-NUL", "R-BAD-JSON")
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"item_id":"a","kind":"evidence","content":"x"}\n{"item_id":"\xff"}\n', (":2", "UTF-8")),
        (b'{"item_id":"a","kind":"evidence","content":"x"}\n\0\n', (":2", "NUL")),
        (b'{"item_id":"a","kind":"evidence","content":"x"}\n\n{"item_id": \n', (":3", "JSON")),
        (
            b'{"item_id":"a","kind":"evidence","content":"x"}\n{"item_id":"b","kind":"rumour","content":"x"}',
            (":2", "kind"),
        ),
        (b'{"item_id":"a","kind":"evidence","contents":"x"}', (":1", "contents")),
        (b'{"item_id":"a","kind":"evidence","content":"x","observed_at":"2026-01-01T00:00:00"}', (":1", "observed_at")),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_field(data: bytes, words: tuple[str, ...]) -> None:
    Path("items.jsonl").write_bytes(data)
    refused(ask("--items", "items.jsonl"), 3, "items.jsonl", *words)


@pytest.mark.proves("R-BAD-DUPLICATE-IDS", "R-BAD-CYCLE")
def test_ids_given_twice_and_circles_of_dependencies() -> None:
    refused(ask("--items", items({"item_id": "a"}, {"item_id": "a"})), 3, ":2", "'a'", "line 1")
    circle = items({"item_id": "a", "dependencies": ["b"]}, {"item_id": "b", "dependencies": ["a"]})
    refused(ask("--items", circle), 3, "items.jsonl", "a", "b")


@pytest.mark.proves("R-BAD-NAIVE")
@pytest.mark.parametrize("field", ["observed_at", "expires_at"])
def test_a_time_without_a_zone_in_an_item(field: str) -> None:
    refused(ask("--items", items({"item_id": "a", field: "2026-01-01T00:00:00"})), 3, ":1", "time zone")


@pytest.mark.proves("R-BAD-FUTURE", "R-BAD-EXPIRED")
def test_items_from_the_future_are_noted_and_expired_ones_left_out() -> None:
    manifest = assembled(
        "--items",
        items(
            {"item_id": "note/later", "observed_at": "2027-01-01T00:00:00Z"},
            {"item_id": "note/over", "expires_at": "2026-01-01T00:00:00Z", "content": "An expired secret."},
        ),
    )
    reasons = {(each["subject"], each["reason"]) for each in manifest["decisions"]}
    assert ("note/later", "from_future") in reasons
    assert ("note/over", "expired") in reasons
    assert "An expired secret." not in knock("replay", "m.json").text


@pytest.mark.proves("R-BAD-TENANT", "R-STEP-NO-TRACE")
def test_an_item_of_another_tenant_leaves_no_trace_anywhere() -> None:
    name = items(
        {"item_id": "note/zebra", "tenant": "rival", "content": "Quagga merger on Friday."},
        {"item_id": "note/okapi", "readers": ["finance"], "content": "Tapir salaries rise."},
    )
    outcome = ask("--in", "shop", "--items", name, "--manifest", "m.json", "--debug")
    assert outcome.code == 0
    Path(name).unlink()
    words = (b"zebra", b"Quagga", b"okapi", b"Tapir", b"rival")
    said = outcome.stdout + outcome.stderr.encode()
    kept = b"".join(path.read_bytes() for path in Path.cwd().rglob("*") if path.is_file())
    assert [word for word in words if word in said + kept] == []
    assert json.loads(Path("m.json").read_bytes())["refused"] == [["items", 2]]
    refused(knock("why", "m.json", "note/zebra"), 3)


@pytest.mark.proves("R-BAD-TENANT")
def test_a_mandatory_item_of_another_tenant_is_denied_without_its_name() -> None:
    outcome = ask("--items", items({"item_id": "note/zebra", "tenant": "rival", "mandatory": True}))
    refused(outcome, 4, "items", "may not be read")
    assert "zebra" not in outcome.stderr


@pytest.mark.proves("R-BAD-BOM", "R-BAD-CRLF", "R-BAD-EMPTY-LINES")
def test_marks_line_ends_and_a_million_empty_lines_are_no_fault() -> None:
    record = b'{"item_id":"a","kind":"evidence","content":"one\\r\\ntwo"}'
    Path("items.jsonl").write_bytes(b"\xef\xbb\xbf" + record + b"\r\n" + b"\n" * 1_000_000)
    Path("shop/windows.txt").write_bytes("\ufeffRetries on Windows.\r\nTwo lines.\r\n".encode())
    Path("shop/empty.txt").write_bytes(b"\n" * 1_000_000)
    manifest = assembled("--items", "items.jsonl")
    assert {"a", "file/windows.txt#L1-2"} <= {each["id"] for each in manifest["items"]}


@pytest.mark.proves("R-BAD-UTF8", "R-BAD-NUL", "R-BAD-HUGE", "R-BAD-UNREADABLE")
def test_files_of_a_folder_that_cannot_be_offered_are_recorded() -> None:
    Path("shop/latin.txt").write_bytes(b"caf\xe9 retries\n")
    Path("shop/nul.bin").write_bytes(b"a\0b")
    with Path("shop/huge.txt").open("wb") as huge:
        huge.truncate(1 << 30)
    os.mkfifo("shop/pipe")
    ends = {each["subject"]: (each["verdict"], each["reason"]) for each in assembled()["decisions"]}
    assert ends["file/latin.txt"][0] == ends["file/nul.bin"][0] == ends["file/pipe"][0] == "omitted"
    assert ends["file/huge.txt"] == ("omitted", "too_large")


@pytest.mark.proves("R-BAD-HUGE")
@pytest.mark.parametrize("option", ["--history", "--items", "--instructions", "--examples", "--slots"])
def test_a_file_of_a_gigabyte_is_refused_unread(option: str) -> None:
    with Path("huge").open("wb") as huge:
        huge.truncate(1 << 30)
    refused(ask(option, "huge"), 3, "huge", "bytes")


def test_a_link_whose_file_has_vanished() -> None:
    Path("shop/gone.txt").symlink_to("nowhere.txt")
    ends = {each["subject"]: each["verdict"] for each in assembled()["decisions"]}
    assert ends["file/gone.txt"] == "omitted"


def test_a_name_that_steers_a_terminal_is_shown_as_written() -> None:
    name = "shop/\x1b[31mred\u202e.txt"
    Path(name).write_text("Retries in red.\n", encoding="utf-8")
    outcome = ask("--in", "shop", "--whole", name.removeprefix("shop/"), "--input-limit", 1)
    assert outcome.code == 4
    assert not {"\x1b", "\u202e"} & set(outcome.stderr + outcome.text)


def test_an_unforeseen_fault_is_told_without_a_traceback_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr("conspectus.interfaces.cli.assemble.summary", fail)
    quiet, loud = ask(), ask("--debug")
    assert (quiet.code, loud.code) == (1, 1)
    assert "ZeroDivisionError: a fault of ours" in quiet.stderr
    assert "--debug" in quiet.stderr
    assert "Traceback" not in quiet.stderr
    assert "Traceback" in loud.stderr


@pytest.mark.parametrize("place", [("--debug", "assemble"), ("assemble", "--debug")])
def test_debug_may_stand_before_or_behind_the_command(place: tuple[str, str]) -> None:
    outcome = knock(*place, "")
    assert outcome.code == 3
    assert "Traceback" in outcome.stderr
