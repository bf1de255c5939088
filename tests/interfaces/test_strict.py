"""Strict doors: an option is refused by its name and value, a pipe is read, and an output that fails is told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interfaces.door import NOW, Outcome, assembled, items, knock, refused

QUESTION = "Where are retries configured?"
FULL = Path("/dev/full")
FILES = ("--instructions", "--history", "--items", "--examples", "--slots", "--manifest")

pytestmark = pytest.mark.usefixtures("shop")


def ask(*arguments: object) -> Outcome:
    return knock("assemble", QUESTION, "--now", NOW, *arguments)


def run(command: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own, with the shell's redirections."""
    program = f"{sys.executable} -c 'from conspectus.interfaces.cli.main import main; main()'"
    whole = command.replace("conspectus", program, 1)
    return subprocess.run(["bash", "-c", whole], input=data, capture_output=True, check=False)


@pytest.mark.proves("R-EXIT-2", "R-BAD-RESERVE", "R-BUDGET-SHARES", "R-BAD-PROFILE")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--output-reserve", -1), ("--output-reserve: -1 tokens", "0 keeps nothing")),
        (("--loop-reserve", -1), ("--loop-reserve: -1 tokens", "0 keeps nothing")),
        (("--input-limit", -1), ("--input-limit: -1 tokens", "at least 1")),
        (("--share", "evidence=:101%"), ("--share: evidence=:101%", "at most 100%")),
        (("--share", "evidence=60%:10%"), ("--share: evidence=60%:10%", "no range")),
        (
            ("--share", "evidence=60%:", "--share", "note=9000:"),
            ("--share: the minima", "evidence 9,600", "note 9,000", "16,000 allowed"),
        ),
        (("--model", ""), ("is empty", "conspectus models")),
        (("--model", "./nowhere"), ("nowhere", "no such folder")),
        (("--model", "shop"), ("has no tokenizer.json", ".gguf")),
        (("--model", "gpt-4o"), ("openai/gpt-4o", "conspectus models")),
        (("--now", "9999-12-31T23:59:59-14:00"), ("--now", "years 1 to 9999")),
        (("--now", "0001-01-01T00:00:00+14:00"), ("--now", "years 1 to 9999")),
    ],
)
def test_a_setting_is_refused_by_its_option_and_value(arguments: tuple[object, ...], words: tuple[str, ...]) -> None:
    refused(ask("--in", "shop", *arguments), 2, *words)


@pytest.mark.proves("R-EXIT-4", "R-BAD-LIMIT-ONE")
@pytest.mark.parametrize(
    ("arguments", "setting"),
    [
        (("--input-limit", 20), "--input-limit"),
        (("--output-reserve", 127_990), "--output-reserve"),
        (("--loop-reserve", 123_900), "--loop-reserve"),
        (("--model", "claude", "--input-limit", 20), "--input-limit"),
        (("--share", "request=:2"), "--share"),
    ],
)
def test_what_is_advised_against_an_overflow_helps(arguments: tuple[object, ...], setting: str) -> None:
    outcome = ask(*arguments)
    refused(outcome, 4, "request", f"In options: {setting}")
    advised = outcome.stderr.partition("In options: ")[2].splitlines()[0].split()
    both = (*arguments, *advised)
    replaced = dict(zip(both[::2], both[1::2], strict=True))
    assert ask(*(word for pair in replaced.items() for word in pair)).code == 0


@pytest.mark.proves("R-EXIT-3")
@pytest.mark.parametrize("option", ["--in", "--whole", "--home", *FILES])
def test_an_empty_path_is_no_folder(option: str) -> None:
    refused(ask("--in", "shop", option, ""), 3, f"{option}: is empty: name a")


def test_items_that_replace_each_other_are_noted_and_kept() -> None:
    name = items({"item_id": "a", "supersedes": ["b"]}, {"item_id": "b", "supersedes": ["a"]})
    decisions = assembled("--items", name)["decisions"]
    noted = {each["subject"]: each["related"] for each in decisions if each["reason"] == "superseded"}
    assert noted == {"a": ["b"], "b": ["a"]}
    assert {each["verdict"] for each in decisions if each["reason"] == "superseded"} == {"noted"}
    assert {"a", "b"} <= {each["subject"] for each in decisions if each["verdict"] == "kept"}


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="no /dev/stdin here")
def test_pipes_are_read() -> None:
    said = b'{"role": "user", "content": "Is the zebra fed?"}\n'
    for command in (
        "conspectus assemble 'And now?' --history /dev/stdin",
        "conspectus assemble 'And now?' --history <(cat)",
    ):
        done = run(command, said)
        assert (done.returncode, b"Is the zebra fed?" in done.stdout) == (0, True), done.stderr


def test_devices_are_never_read() -> None:
    refused(ask("--items", "/dev/zero"), 3, "/dev/zero", "neither a regular file nor a pipe")


@pytest.mark.proves("R-EXIT-6")
@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", ["assemble q", "models", "models --json", "completion bash", "--help"])
def test_a_full_output_is_a_matter_of_storage(command: str) -> None:
    done = run(f"conspectus {command} > /dev/full")
    assert done.returncode == 6
    assert b"stdout" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.proves("R-EXIT-6")
def test_closed_outputs_are_told_where_they_can_be() -> None:
    done = run("conspectus assemble q >&-")
    assert (done.returncode, b"stdout is closed" in done.stderr) == (6, True)
    done = run("conspectus assemble q 2>&-")
    assert done.returncode == 0
    assert b"[Task]" in done.stdout
    assert run("conspectus assemble '' 2>&-").returncode == 3


@pytest.mark.proves("R-BAD-UNREADABLE")
def test_a_file_without_rights_is_bad_input() -> None:
    Path("secret.jsonl").write_text("{}", encoding="utf-8")
    Path("secret.jsonl").chmod(0)
    if os.access("secret.jsonl", os.R_OK):
        pytest.skip("this user may read everything")
    refused(ask("--items", "secret.jsonl"), 3, "secret.jsonl")


@pytest.mark.parametrize("model", ["o200k", "claude"])
def test_a_conversation_that_the_assistant_began_is_opened_by_the_user(model: str) -> None:
    Path("talk.jsonl").write_text(
        '{"role": "assistant", "content": "Hello."}\n{"role": "user", "content": "Hi."}\n', encoding="utf-8"
    )
    outcome = ask("--history", "talk.jsonl", "--format", "anthropic", "--model", model, "--manifest", "m.json")
    roles = [message["role"] for message in json.loads(outcome.stdout)["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert knock("replay", "m.json").stdout == outcome.stdout
