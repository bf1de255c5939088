"""`conspectus assemble`: the payload alone on stdout, what it is made of on stderr, every option with its effect."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.door import NOW, assembled, items, knock, refused

QUESTION = "Where are retries configured?"

pytestmark = pytest.mark.usefixtures("shop")


def about(manifest: dict[str, Any], verdict: str) -> list[str]:
    return [each["subject"] for each in manifest["decisions"] if each["verdict"] == verdict]


def ids(manifest: dict[str, Any]) -> list[str]:
    return [each["id"] for each in manifest["items"]]


@pytest.mark.proves("R-DOOR-ASSEMBLE", "R-EXIT-0")
def test_the_payload_is_on_stdout_byte_for_byte_and_everything_else_on_stderr() -> None:
    outcome = knock("assemble", QUESTION, "--in", "shop", "--manifest", "m.json", "--now", NOW)
    manifest = json.loads(Path("m.json").read_bytes())
    assert outcome.code == 0
    assert outcome.text.startswith("[Role & Policies]\n\n[Data]")
    assert "MAX_RETRIES = 5" in outcome.text
    assert outcome.stdout == knock("replay", "m.json").stdout
    assert manifest["request_id"] in outcome.stderr
    assert f"{manifest['input_tokens']:,} of 16,000 tokens" in outcome.stderr
    assert f"conspectus why {manifest['request_id'][:8]}" in outcome.stderr
    for section, _ in [("Task", 1), ("Evidence", 1), ("headings, rules", 1)]:
        assert section in outcome.stderr
    assert manifest["request_id"] not in outcome.text


def test_quiet_says_nothing() -> None:
    assert knock("assemble", QUESTION, "--in", "shop", "--quiet").stderr == ""


def test_no_source_is_needed() -> None:
    outcome = knock("assemble", QUESTION)
    assert outcome.code == 0
    assert QUESTION in outcome.text


@pytest.mark.proves("R-DOOR-FORMATS")
@pytest.mark.parametrize("form", ["json", "openai", "anthropic"])
def test_forms_of_a_provider_are_json_with_turns(form: str) -> None:
    body = json.loads(knock("assemble", QUESTION, "--in", "shop", "--format", form, "--model", "o200k").stdout)
    assert body["messages"][-1]["role"] == "user"
    assert QUESTION in json.dumps(body["messages"][-1], ensure_ascii=False)


def test_instructions_stand_in_the_policies_and_are_mandatory() -> None:
    Path("policy.md").write_text("Answer in one sentence.", encoding="utf-8")
    manifest = assembled("--instructions", "policy.md")
    record = next(each for each in manifest["items"] if each["id"] == "instruction/policy.md")
    assert (record["section"], record["mandatory"], record["authority"]) == ("Role & Policies", True, "application")


def test_history_examples_items_and_slots_each_find_their_place() -> None:
    Path("chat.jsonl").write_text('{"role":"user","content":"It failed."}\n', encoding="utf-8")
    Path("examples.jsonl").write_text('{"input":"a","output":"b","label":"x"}\n', encoding="utf-8")
    Path("slots.json").write_text('["retries", {"name": "ship date", "match": "ship date"}]', encoding="utf-8")
    items({"item_id": "note/one", "kind": "note"})
    manifest = assembled(
        "--history", "chat.jsonl", "--examples", "examples.jsonl", "--slots", "slots.json", "--items", "items.jsonl"
    )
    places = {each["id"]: each["section"] for each in manifest["items"]}
    assert places["history/1"] == "Context"
    assert places["example/1"] == "Examples"
    assert places["note/one"] == "State"
    assert [slot["name"] for slot in manifest["slots"] if not slot["filled_by"]] == ["ship date"]
    outcome = knock("assemble", QUESTION, "--in", "shop", "--slots", "slots.json")
    assert "[Missing evidence] ship date" in outcome.text
    assert "missing  ship date" in outcome.stderr


@pytest.mark.proves("R-SOURCE-FILES-WHOLE")
def test_whole_files_enter_whole_or_nothing_leaves() -> None:
    manifest = assembled("--whole", "http.py")
    assert "file/http.py" in ids(manifest)
    needed = manifest["input_tokens"]
    refused(knock("assemble", QUESTION, "--in", "shop", "--whole", "http.py", "--input-limit", 150), 4, "file/http.py")
    assert needed > 150


def test_whole_is_looked_for_in_the_first_folder_that_has_it() -> None:
    Path("more").mkdir()
    Path("more/terms.md").write_text("# Terms\n\nThirty days.\n", encoding="utf-8")
    assert "file/more/terms.md" in ids(assembled("--in", "more", "--whole", "terms.md"))


def test_a_whole_file_that_is_nowhere_is_bad_input() -> None:
    refused(knock("assemble", QUESTION, "--in", "shop", "--whole", "gone.md"), 3, "gone.md", "whole")
    refused(knock("assemble", QUESTION, "--whole", "http.py"), 3, "add --in FOLDER")


def test_two_folders_never_collide() -> None:
    Path("other/shop").mkdir(parents=True)
    Path("other/shop/http.py").write_text("TIMEOUT = 3\n", encoding="utf-8")
    manifest = assembled("--in", "other/shop")
    assert {"file/http.py#L1-8", "file/shop/http.py#L1-1"} <= set(ids(manifest))


def test_a_folder_inside_another_one_keeps_ids_of_its_own() -> None:
    manifest = assembled("--in", ".", "--in", "shop/../shop", "--in", "./")
    offered = [each["subject"] for each in manifest["decisions"] if each["reason"] == "gathered"]
    assert offered == ["source/request", "source/instructions", "source/files", f"source/files/{Path.cwd().name}"]
    ends = about(manifest, "kept") + about(manifest, "omitted")
    assert len(ends) == len(set(ends))


@pytest.mark.proves("R-DOOR-STATE")
def test_the_state_is_never_gathered() -> None:
    for home in (".conspectus", "state"):
        for _ in range(2):
            outcome = knock("assemble", QUESTION, "--in", ".", "--home", home, "--manifest", f"{home}.json")
            assert outcome.code == 0, outcome.stderr
        manifest = json.loads(Path(f"{home}.json").read_bytes())
        entered = about(manifest, "kept") + about(manifest, "transformed")
        assert not [name for name in entered if name.startswith(f"file/{home}/")]


@pytest.mark.proves("R-BUDGET-SHARES")
def test_shares_are_tokens_or_percentages_and_either_side_may_be_empty() -> None:
    manifest = assembled("--share", "evidence=10%:60%", "--share", "history=:2000", "--share", "note=100:")
    shares = {each["kind"]: (each["minimum"], each["maximum"]) for each in manifest["spec"]["budget"]["shares"]}
    assert shares == {"evidence": (1_600, 9_600), "history": (0, 2_000), "note": (100, None)}
    bound = assembled("--share", "evidence=:0")
    assert {each["kind"] for each in bound["items"]} == {"request"}
    assert {"share_exceeded"} == {each["reason"] for each in bound["decisions"] if each["verdict"] == "omitted"}


def test_reserves_and_limits_reach_the_spec() -> None:
    budget = assembled("--output-reserve", 1_000, "--loop-reserve", 500, "--input-limit", 9_000)["spec"]["budget"]
    assert (budget["output_reserve"], budget["loop_reserve"], budget["input_limit"]) == (1_000, 500, 9_000)
    plain = assembled()["spec"]["budget"]
    assert (plain["window"], plain["input_limit"], plain["output_reserve"]) == (128_000, 16_000, 4_096)


def test_the_input_limit_is_bounded_by_what_window_and_reserves_leave() -> None:
    manifest = assembled("--model", "openai/gpt-4", "--output-reserve", 4_000)
    assert manifest["input_limit"] == 8_192 - 4_000
    assert assembled("--model", "openai/gpt-4")["spec"]["budget"]["output_reserve"] == 8_192 // 4


def test_the_caller_and_the_moment_are_recorded() -> None:
    manifest = assembled("--as", "ann", "--tenant", "acme", "--group", "b", "--group", "a")
    assert (manifest["principal"], manifest["tenant"], manifest["groups"]) == ("ann", "acme", ["a", "b"])
    assert manifest["assembled_at"] == "2026-12-01T09:00:00Z"
    assert assembled()["request_id"] == assembled()["request_id"]


def test_a_summary_names_what_a_person_should_look_at() -> None:
    items(
        {"item_id": "a", "content": "The client retries 5 times.", "trust": "trusted"},
        {"item_id": "b", "content": "The client retries 3 times.", "trust": "trusted"},
        {"item_id": "c", "content": "Retries of salaries.", "readers": ["finance"]},
    )
    said = knock("assemble", QUESTION, "--items", "items.jsonl").stderr
    assert "refused   1 of items may not be read" in said
    assert "conflict  a ≠ b" in said


def test_the_hints_name_the_home_that_was_given() -> None:
    assert "--home 'my state'" in knock("assemble", QUESTION, "--in", "shop", "--home", "my state").stderr


def test_a_failed_call_leaves_no_state_behind() -> None:
    for arguments in (("--input-limit", 1), ("--in", "nowhere"), ("--model", "nope"), ("--share", "evidence=9%:1%")):
        assert knock("assemble", QUESTION, "--in", "shop", *arguments).code != 0
        assert not Path(".conspectus").exists()


def test_an_unwritable_manifest_file_is_a_matter_of_storage() -> None:
    refused(knock("assemble", QUESTION, "--in", "shop", "--manifest", "no/such/folder/m.json"), 6, "m.json")
