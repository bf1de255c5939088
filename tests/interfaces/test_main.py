"""The command itself: its help, its laziness, its exit codes as a process, and what it does on a terminal."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from conspectus.interfaces.cli.main import ABOUTS, cli
from tests.interfaces.door import assembled, knock, refused

QUESTION = "Where are retries configured?"
PROGRAM = "from conspectus.interfaces.cli.main import main; main()"
COMMAND = [sys.executable, "-W", "error", "-c", PROGRAM]

pytestmark = pytest.mark.usefixtures("shop")


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**kept, "TERM": "xterm-256color", **more}


def process(*arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], env=environment(**more), capture_output=True, check=False)


def on_a_terminal(*arguments: str, columns: int = 80, **more: str) -> tuple[int, str, str]:
    """Exit code, stdout and what a terminal on stderr saw."""
    ours, theirs = pty.openpty()
    settings = environment(COLUMNS=str(columns), **more)
    with subprocess.Popen([*COMMAND, *arguments], env=settings, stdout=subprocess.PIPE, stderr=theirs) as running:
        os.close(theirs)
        seen = b""
        while True:
            ready, _, _ = select.select([ours], [], [], 60)
            try:
                piece = os.read(ours, 1 << 16) if ready else b""
            except OSError:  # a pseudo-terminal whose other end is closed
                break
            if not piece:
                break
            seen += piece
        assert running.stdout is not None
        printed = running.stdout.read()
    os.close(ours)
    return running.returncode, printed.decode(), seen.decode()


@pytest.mark.proves("R-DOOR-HELP")
@pytest.mark.parametrize("name", ABOUTS)
def test_every_command_has_help_with_an_example_and_the_about_of_the_list(name: str) -> None:
    text = knock(name, "--help").text
    assert "Example" in text
    assert f"  conspectus {name} " in text or name == "models"
    assert "--home" in text
    assert import_module(f"conspectus.interfaces.cli.{name}").command.name == name


@pytest.mark.proves("R-DOOR-HELP")
def test_help_of_assemble_states_every_default_and_the_unit_of_a_share() -> None:
    text = " ".join(knock("assemble", "--help").text.split())
    promised = (
        "profile is o200k",
        "window of 128,000 tokens",
        "4,096 tokens are kept for the answer",
        "none for a tool loop",
        "limited to 16,000 tokens",
        "in tokens or, with %, of the input limit",
    )
    assert [words for words in promised if words not in text] == []


@pytest.mark.proves("R-DOOR-ASSEMBLE")
def test_assemble_takes_exactly_the_promised_options() -> None:
    promised = """--in --whole --history --items --instructions --examples --slots --model --input-limit
        --output-reserve --loop-reserve --share --as --tenant --group --now --home --format --manifest"""
    found = {option for each in cli.commands["assemble"].params for option in each.opts if option.startswith("--")}
    assert found == {*promised.split(), "--quiet", "--debug"}


@pytest.mark.proves("R-DOOR-HELP")
def test_help_of_the_whole_lists_commands_and_exit_codes() -> None:
    text = knock("--help").text
    assert [name for name in ABOUTS if f"\n  {name}" not in text] == []
    assert "Exit codes" in text
    assert knock().code == 2
    assert knock("--version").text.startswith("conspectus ")


def test_an_unknown_command_is_a_matter_of_usage() -> None:
    refused(knock("assemlbe"), 2, "No such command")


@pytest.mark.proves("R-DOOR-PLAIN")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_that_asks_us(shell: str) -> None:
    outcome = knock("completion", shell)
    assert outcome.code == 0
    assert "_CONSPECTUS_COMPLETE" in outcome.text
    refused(knock("completion", "tcsh"), 2, "tcsh")


@pytest.mark.proves("R-DOOR-PLAIN")
def test_completion_completes_commands_and_options() -> None:
    asked = {"_CONSPECTUS_COMPLETE": "bash_complete", "COMP_WORDS": "conspectus assemble --in", "COMP_CWORD": "2"}
    done = process(**asked)
    assert b"plain,--in\n" in done.stdout
    assert b"plain,--input-limit\n" in done.stdout


@pytest.mark.proves("R-EXIT-0", "R-EXIT-2", "R-EXIT-3", "R-EXIT-4", "R-DOOR-PLAIN")
def test_a_process_ends_with_the_code_and_prints_plainly_into_a_pipe() -> None:
    done = process("assemble", QUESTION, "--in", "shop", "--manifest", "m.json")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert done.stdout == process("replay", "m.json").stdout
    for code, arguments in ((2, ("--model", "x")), (3, ("--in", "nowhere")), (4, ("--input-limit", "1"))):
        failed = process("assemble", QUESTION, *arguments)
        assert (failed.returncode, failed.stdout) == (code, b"")


def test_neither_rich_nor_a_vocabulary_is_loaded_where_it_is_not_needed() -> None:
    assembled()
    program = "import sys; sys.argv = ['conspectus', *sys.argv[1:]]\nfrom conspectus.interfaces.cli.main import cli\n"
    program += "try:\n    cli()\nfinally:\n    print(*sorted(sys.modules), file=sys.stderr)\n"
    command = [sys.executable, "-c", program, "why", "m.json", "http.py"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert not {name for name in loaded if name.split(".")[0] in ("rich", "tokenizers", "jinja2", "tree_sitter")}
    assert "conspectus.interfaces.cli.diff" not in loaded


@pytest.mark.proves("R-DOOR-PLAIN")
@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_colours_and_a_bar_of_sections(columns: int) -> None:
    code, printed, seen = on_a_terminal("assemble", QUESTION, "--in", "shop", columns=columns, COLORTERM="truecolor")
    assert code == 0
    assert "\x1b" not in printed
    assert "\x1b[38;2;" in seen
    bare = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)
    assert "░" in bare
    assert "━" in bare
    assert max(len(text) for text in bare.splitlines()) <= columns


@pytest.mark.proves("R-DOOR-PLAIN")
def test_no_color_and_force_color() -> None:
    _, _, seen = on_a_terminal("assemble", QUESTION, "--in", "shop", NO_COLOR="1")
    assert not re.search(r"\x1b\[(3|4|9)\d", seen)
    assert "━" in seen
    assert b"\x1b[" in process("assemble", QUESTION, FORCE_COLOR="1").stderr
    assert b"\x1b[" not in process("assemble", QUESTION, FORCE_COLOR="1").stdout
    assert "\x1b" not in on_a_terminal("assemble", QUESTION, TERM="dumb")[2]


@pytest.mark.proves("R-DOOR-PLAIN")
def test_long_work_shows_a_sign_of_life_that_leaves_no_trace() -> None:
    program = (
        "import time\nfrom conspectus.interfaces.cli.progress import waiting\n"
        "with waiting('Long work'):\n    time.sleep(1.5)\nprint('done')\n"
    )
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", program]
    subprocess.run(command, env=environment(COLUMNS="80"), stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 1 << 16):
            seen += piece
    except OSError:
        pass
    os.close(ours)
    assert b"Long work" in seen
    assert seen.endswith((b"\x1b[2K", b"\x1b[?25h"))
    done = subprocess.run(command, env=environment(), capture_output=True, check=True)
    assert done.stderr == b""


def test_a_reader_that_goes_away_is_no_fault() -> None:
    assembled()
    with subprocess.Popen([*COMMAND, "replay", "m.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.close()
        _, said = running.communicate(timeout=60)
    assert b"Traceback" not in said
    assert b"fault" not in said


def test_an_interrupt_ends_without_a_traceback_and_without_a_state() -> None:
    program = (
        "import signal, threading, os, time\n"
        "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "import conspectus.interfaces.cli.assemble as door\n"
        "door.Workspace.assemble = lambda *_: time.sleep(60)\n" + PROGRAM
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program, "assemble", QUESTION], capture_output=True, check=False)
    assert time.monotonic() - began < 30
    assert done.returncode != 0
    assert not Path(".conspectus").exists()


def test_the_json_schema_of_the_docs_holds_for_what_the_door_writes() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    manifest = assembled()
    folder = Path(__file__).parents[2] / "docs" / "schemas"
    (schema,) = folder.glob("manifest-v*.json")
    jsonschema.validate(manifest, json.loads(schema.read_text(encoding="utf-8")))
