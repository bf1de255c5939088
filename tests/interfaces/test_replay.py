"""`conspectus replay`: the same bytes in the same form, for whoever may still read them; otherwise a typed refusal."""

import json
from pathlib import Path

import pytest

from tests.interfaces.door import assembled, items, knock, refused

QUESTION = "Where are retries configured?"

pytestmark = pytest.mark.usefixtures("shop")


@pytest.mark.proves("R-DOOR-REPLAY", "R-CONTRACT-REPLAY")
@pytest.mark.parametrize("form", ["text", "json", "openai", "anthropic"])
@pytest.mark.parametrize("reserve", [(), ("--output-reserve", 0), ("--output-reserve", 777)])
def test_replay_prints_the_payload_in_the_form_it_was_assembled_in(form: str, reserve: tuple[object, ...]) -> None:
    outcome = knock("assemble", QUESTION, "--in", "shop", "--format", form, *reserve, "--manifest", "m.json")
    Path("shop/http.py").write_text("gone\n", encoding="utf-8")
    replayed = knock("replay", "m.json")
    assert (replayed.code, replayed.stdout, replayed.stderr) == (0, outcome.stdout, "")


def test_a_small_window_replays_too() -> None:
    outcome = knock("assemble", QUESTION, "--model", "openai/gpt-4", "--format", "openai", "--manifest", "m.json")
    assert knock("replay", "m.json").stdout == outcome.stdout


@pytest.mark.proves("R-DOOR-REPLAY", "R-DOOR-RETENTION", "R-EXIT-4")
def test_replay_authorizes_its_caller_again() -> None:
    items({"item_id": "note/okapi", "readers": ["finance"], "content": "Tapir salaries rise with retries."})
    outcome = knock(
        "assemble", QUESTION, "--items", "items.jsonl", "--as", "ann", "--group", "finance", "--manifest", "m.json"
    )
    assert "Tapir" in outcome.text
    assert knock("replay", "m.json", "--as", "bob", "--group", "finance").stdout == outcome.stdout
    for others in ((), ("--as", "ann"), ("--as", "ann", "--group", "finance", "--tenant", "other")):
        refused(knock("replay", "m.json", *others), 4, "may not be read by this caller")
    told = knock("diagnose", "m.json", "Tapir salaries", "--json")
    assert json.loads(told.stdout)["cause"] == "not_retrieved"


@pytest.mark.proves("R-DOOR-RETENTION", "R-EXIT-5")
def test_what_has_expired_since_is_named_and_not_rebuilt() -> None:
    name = items({"item_id": "note/brief", "expires_at": "2026-12-02T00:00:00Z", "source_uri": "wiki:brief"})
    now = "2000-01-01T00:00:00Z"
    record = json.loads(Path(name).read_text(encoding="utf-8"))
    Path(name).write_text(json.dumps({**record, "expires_at": "2001-01-01T00:00:00Z"}), encoding="utf-8")
    assert knock("assemble", QUESTION, "--items", name, "--now", now, "--manifest", "m.json").code == 0
    refused(knock("replay", "m.json"), 5, "wiki:brief")


@pytest.mark.proves("R-EXIT-5")
def test_an_archive_that_is_gone_is_named() -> None:
    assembled("--home", "state")
    refused(knock("replay", "m.json"), 5, "archive", "no longer holds")


@pytest.mark.proves("R-EXIT-5")
def test_a_payload_that_drifts_is_refused() -> None:
    manifest = assembled()
    Path("m.json").write_text(json.dumps({**manifest, "payload_hash": "0" * 64}), encoding="utf-8")
    refused(knock("replay", "m.json"), 5, "000000000000", manifest["payload_hash"][:12])


@pytest.mark.proves("R-EXIT-3")
@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"input_tokens": 1}, "input_tokens"),
        ({"spec_hash": "0" * 64}, "spec_hash"),
        ({"format": "xml"}, "format"),
        ({"surprise": 1}, "surprise"),
        ({"items": "none"}, "items"),
    ],
)
def test_a_manifest_that_was_changed_by_hand_is_bad_input(change: dict[str, object], word: str) -> None:
    Path("m.json").write_text(json.dumps({**assembled(), **change}), encoding="utf-8")
    for arguments in (
        ("replay", "m.json"),
        ("why", "m.json", "x"),
        ("quality", "m.json"),
        ("diff", "m.json", "m.json"),
    ):
        refused(knock(*arguments), 3, "m.json", word)


def test_a_manifest_that_is_no_json_is_named_with_its_line() -> None:
    Path("m.json").write_text('{\n "schema_version": 1,\n "x"', encoding="utf-8")
    refused(knock("replay", "m.json"), 3, "m.json", "JSON")
