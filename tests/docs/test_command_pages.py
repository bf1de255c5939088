"""The pages on the command line, in both languages: every option is there, none is invented, and every command runs."""

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from conspectus.interfaces.cli.main import cli
from tests.docs.test_pages import lines, read

PAGES = ("docs/cli.md", "docs/cli.zh.md")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*(?![\w-])")
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXIT = re.compile(r"# exit (\d+)$")
ID = "3fa9c1"
HELP = {"--help", "-h"}


def known(command: click.Command) -> set[str]:
    """The options of a command without that for help."""
    return {name for parameter in command.params for name in parameter.opts if name.startswith("-")}


def commands() -> dict[str, click.Command]:
    context = click.Context(cli)
    return {name: found for name in cli.list_commands(context) if (found := cli.get_command(context, name))}


def prose(text: str) -> str:
    """A text without its blocks and without the shell's own words."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def sections(page: str) -> dict[str, str]:
    """What stands under each heading of the second level."""
    _, *parts = re.split(r"^## (.*)\n", read(page), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.proves("R-PAIN-P103", "R-DOOR-HELP")
@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_every_option_and_no_other(page: str) -> None:
    there = set().union(*map(known, (cli, *commands().values()))) | HELP
    assert set(OPTION.findall(prose(read(page)))) == there


@pytest.mark.proves("R-PAIN-P103", "R-DOOR-HELP")
@pytest.mark.parametrize("page", PAGES)
def test_each_command_has_a_section_with_its_own_options(page: str) -> None:
    told = sections(page)
    assert {
        name: set(OPTION.findall(prose(told[name]))) ^ known(command)
        for name, command in commands().items()
        if set(OPTION.findall(prose(told[name]))) != known(command)
    } == {}


def test_an_invented_option_is_seen() -> None:
    assert OPTION.findall("`--verbosely`, `-q` and well-known") == ["--verbosely", "-q"]


@pytest.mark.proves("R-PAIN-P103")
@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_runs_in_an_empty_folder(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILE.findall(read(page)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    called: set[str] = set()
    request = ID
    for line in lines(page):
        words = shlex.split(line.split(" > ")[0], comments=True)
        if not words:
            continue
        arguments = [request if word == ID else word for word in words[1:]]
        done = CliRunner().invoke(cli, arguments, prog_name="conspectus")
        wanted = int(found[1]) if (found := EXIT.search(line)) else 0
        assert (words[0], done.exit_code) == ("conspectus", wanted), (line, done.stderr)
        if request == ID:
            request = next((tmp_path / ".conspectus" / "manifests").glob("*.json")).stem[:6]
        called.add(words[1])
    assert called == commands().keys()


def test_both_languages_are_equally_deep() -> None:
    english, chinese = (read(page) for page in PAGES)
    for mark in (r"^#+ ", r"^\| ", r"^```", r"^- ", r"^<!-- file: ", r"^!\["):
        count = [len(re.findall(mark, text, re.MULTILINE)) for text in (english, chinese)]
        assert count[0] == count[1], mark
    assert [re.sub(r'"[^"]*"', "", line) for line in lines(PAGES[0])] == [
        re.sub(r'"[^"]*"', "", line) for line in lines(PAGES[1])
    ]
