"""The commands that ask a manifest: by path or shortened id, for people and for machines, each with its exit code."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from conspectus.interfaces.cli import coloured, models
from conspectus.models.registry import list_profiles
from tests.interfaces.door import Outcome, assembled, items, knock, refused

pytestmark = pytest.mark.usefixtures("shop")


def usage(tokens: int) -> str:
    Path("usage.json").write_text(json.dumps({"usage": {"prompt_tokens": tokens}}), encoding="utf-8")
    return "usage.json"


def machine(outcome: Outcome) -> Any:
    assert outcome.code == 0, outcome.stderr
    return json.loads(outcome.stdout)


@pytest.mark.proves("R-DOOR-MANIFEST-REF")
def test_a_manifest_is_a_path_or_an_id_of_six_digits_or_more() -> None:
    name = assembled()["request_id"]
    texts = {knock("why", ref, "http.py").text for ref in ("m.json", "./m.json", name, name[:6], name[:9])}
    assert len(texts) == 1
    refused(knock("why", name[:5], "http.py"), 3, "6 or more digits")
    refused(knock("why", "abcdef", "http.py"), 3, "no such manifest", "--home")
    refused(knock("why", "nowhere.json", "http.py"), 3, "nowhere.json")


@pytest.mark.proves("R-DOOR-MANIFEST-REF")
def test_every_command_looks_into_the_home_it_is_given() -> None:
    name = assembled("--home", "state")["request_id"]
    for arguments in (
        ("why", name, "http.py"),
        ("diagnose", name, "http.py"),
        ("quality", name),
        ("reconcile", name, "--usage", usage(10**6)),
        ("replay", name),
        ("diff", name, name),
    ):
        assert knock(*arguments, "--home", "state").code in (0, 8)
        assert knock(*arguments).code == 3
    assert knock("models", "--home", "state").code == 0
    assert knock("completion", "bash", "--home", "state").code == 0
    assert not Path(".conspectus").exists()


@pytest.mark.proves("R-DOOR-WHY")
def test_why_tells_place_source_decisions_and_score_parts() -> None:
    assembled()
    text = knock("why", "m.json", "http.py").text
    for word in ("file/http.py#L1-8", "Evidence", "file:http.py at version", "select", "kept", "relevance", "value"):
        assert word in text
    account = machine(knock("why", "m.json", "http.py", "--json"))
    assert {"stage", "verdict", "reason", "tokens", "scores"} <= account["decisions"][0].keys()


@pytest.mark.proves("R-DOOR-WHY")
def test_why_knows_lines_folders_and_sources() -> None:
    assembled()
    assert "file/http.py#L1-8" in knock("why", "m.json", "http.py:3").text
    assert "candidates" in knock("why", "m.json", "source/files").text
    refused(knock("why", "m.json", "httpd.py"), 3, "file/http.py#L1-8")


def test_why_tells_many_subjects_in_one_table_and_what_they_lost_to() -> None:
    Path("shop/docs").mkdir()
    for number in range(8):
        text = f"# Note {number}\n\nRetries, {number * 7} words.\n"
        Path(f"shop/docs/note-{number}.md").write_text(text, encoding="utf-8")
    assembled("--input-limit", 520)
    text = knock("why", "m.json", "docs").text
    assert text.startswith("file/docs/  8 subjects")
    assert "lost to" in text
    assert "budget_exceeded" in text


@pytest.mark.proves("R-DOOR-WHY")
def test_why_lists_the_parts_of_a_file_as_they_stand_in_it() -> None:
    parts = [f"## Note {number}\n\n" + f"Retries of kind {number} are configured here. " * 12 for number in range(30)]
    Path("shop/notes.md").write_text("\n\n".join(parts), encoding="utf-8")
    assembled("--input-limit", 1_200)
    rows = [line.split()[0] for line in knock("why", "m.json", "notes.md").text.splitlines() if line.startswith("L")]
    starts = [int(row[1:].partition("-")[0]) for row in rows]
    assert len(starts) > 10
    assert starts == sorted(starts)


@pytest.mark.proves("R-DOOR-WHY")
def test_a_line_of_a_file_that_is_whole_means_the_file() -> None:
    assembled("--whole", "http.py")
    assert knock("why", "m.json", "http.py:3").text.startswith("file/http.py\n")


@pytest.mark.proves("R-DOOR-DIAGNOSE")
def test_diagnose_names_the_part_that_holds_a_word() -> None:
    assembled()
    told = machine(knock("diagnose", "m.json", "退货期限", "--json"))
    assert told["explanation"].startswith("file/README.md#L1-7 holds it in the payload")
    told = machine(knock("diagnose", "m.json", "retries", "--json"))
    assert re.match(r"file/\S+, file/\S+ hold it in the payload", told["explanation"])
    told = machine(knock("diagnose", "m.json", "http.py", "--json"))
    assert told["explanation"].startswith("file/http.py#L1-8 is in the payload")


@pytest.mark.proves("R-DOOR-DIAGNOSE")
def test_diagnose_names_one_cause_for_a_fact() -> None:
    assembled()
    assert knock("diagnose", "m.json", "退货期限是三十天").text.splitlines()[1] == "provided"
    assert knock("diagnose", "m.json", "purple cow").text.splitlines()[1] == "not retrieved"
    Path("answer.txt").write_text("Nobody knows.", encoding="utf-8")
    told = machine(knock("diagnose", "m.json", "MAX_RETRIES = 5", "--answer", "answer.txt", "--json"))
    assert told["cause"] == "provided_but_not_used"


@pytest.mark.proves("R-DOOR-DIAGNOSE", "R-STEP-NO-TRACE")
def test_only_an_operator_is_told_that_something_was_withheld() -> None:
    assembled("--items", items({"item_id": "note/okapi", "readers": ["finance"], "content": "Tapir salaries."}))
    asked = ("diagnose", "m.json", "Tapir salaries")
    assert machine(knock(*asked, "--json"))["cause"] == "not_retrieved"
    assert machine(knock(*asked, "--json", "--operator"))["cause"] == "not_authorized"


def test_what_the_archive_lacks_is_said_and_ids_can_still_be_asked() -> None:
    assembled("--home", "state")
    outcome = knock("diagnose", "m.json", "http.py")
    assert outcome.code == 0
    assert "Note: without the archived content" in outcome.stderr
    refused(knock("diagnose", "m.json", "MAX_RETRIES = 5"), 3, "archived content")


@pytest.mark.proves("R-DOOR-QUALITY")
def test_quality_measures_and_suggests() -> None:
    assembled()
    text = knock("quality", "m.json").text
    for word in ("relevance", "completeness", "density", "duplication", "conflict rate", "source coverage", "recency",
                 "budget use", "Suggestions", "--instructions"):  # fmt: skip
        assert word in text
    Path("slots.json").write_text('["retries", "ship date"]', encoding="utf-8")
    measured = machine(knock("quality", "m.json", "--slots", "slots.json", "--json"))
    assert measured["completeness"] == 0.5
    assert measured["missing_slots"] == ["ship date"]
    refused(knock("quality", "m.json", "--slots", "nowhere"), 3, "nowhere")


@pytest.mark.proves("R-DOOR-RECONCILE", "R-EXIT-8", "R-EXIT-0")
def test_reconcile_agrees_or_alarms_in_the_manifest_it_was_given() -> None:
    manifest = assembled()
    ours = manifest["input_tokens"]
    agreed = knock("reconcile", "m.json", "--usage", usage(ours))
    assert (agreed.code, "drift +0.00%" in agreed.text) == (0, True)
    refused(knock("reconcile", "m.json", "--usage", usage(ours + 1)), 8, f"{ours:,}", f"{ours + 1:,}")
    assert len(json.loads(Path("m.json").read_bytes())["alarms"]) == 1
    assert json.loads(Path(f".conspectus/manifests/{manifest['request_id']}.json").read_bytes())["alarms"] == []
    refused(knock("reconcile", manifest["request_id"], "--usage", usage(ours * 2)), 8)
    kept = json.loads(Path(f".conspectus/manifests/{manifest['request_id']}.json").read_bytes())
    assert len(kept["alarms"]) == 1
    assert knock("replay", manifest["request_id"]).code == 0


def test_an_estimate_is_within_its_margin() -> None:
    ours = assembled("--format", "openai")["input_tokens"]
    assert knock("reconcile", "m.json", "--usage", usage(ours + 1)).code == 0
    refused(knock("reconcile", "m.json", "--usage", usage(ours * 2)), 8)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"usage": {}}', '{"usage": {"prompt_tokens": 0}}', "\udcff"])
def test_a_usage_report_that_reports_nothing(text: str) -> None:
    assembled()
    Path("usage.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    refused(knock("reconcile", "m.json", "--usage", "usage.json"), 3, "usage.json")


@pytest.mark.proves("R-DOOR-DIFF")
def test_diff_tells_what_entered_left_and_why() -> None:
    assembled("--input-limit", 350)
    Path("m.json").rename("a.json")
    Path("shop/more.md").write_text("# More\n\nRetries are configured twice.\n", encoding="utf-8")
    assembled("--input-limit", 9_000)
    text = knock("diff", "a.json", "m.json").text
    assert "file/more.md#L1-3" in text
    assert "not offered → " in text
    assert "spec.budget.input_limit  350" in text
    changes = {
        step["subject"]: step["change"] for step in machine(knock("diff", "a.json", "m.json", "--json"))["steps"]
    }
    assert changes["file/more.md#L1-3"] == "entered"
    assert "same, byte for byte" in knock("diff", "a.json", "a.json").text


@pytest.mark.proves("R-DOOR-MODELS")
def test_models_lists_profiles_with_exactness_limits_and_revision() -> None:
    text = knock("models").text
    assert "o200k" in text
    assert "128,000" in text
    assert "estimated" in text
    listed = {each["name"]: each for each in machine(knock("models", "--json"))}
    assert {"exactness", "margin", "limits", "revision"} <= listed["o200k"].keys()


@pytest.mark.proves("R-DOOR-MODELS")
def test_each_profile_has_one_line_in_a_terminal_of_80_columns() -> None:
    listings = list_profiles()
    text = re.sub(r"\x1b\[[0-9;]*m", "", coloured.write(models.page(listings), 80, colour=True))
    head, *rows = text.partition("\n\n")[0].splitlines()
    assert head.split() == ["profile", "chat", "counts", "window", "output", "revision"]
    assert [row.split()[0] for row in rows] == [each.name for each in listings]
    assert "claude → claude-sonnet-4-5" in text


def test_json_of_an_inspection_is_one_line_of_canonical_json() -> None:
    assembled()
    for arguments in (("why", "m.json", "http.py"), ("quality", "m.json"), ("diff", "m.json", "m.json"), ("models",)):
        lines = knock(*arguments, "--json").stdout.splitlines()
        assert len(lines) == 1
        json.loads(lines[0])
