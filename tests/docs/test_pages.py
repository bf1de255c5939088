"""The pages lead somewhere and speak of this code: links, commands and the table of names; it judges no sentence."""

import importlib
import json
import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import conspectus
from conspectus.assembly.layout import Section
from conspectus.core.spec import RankingPolicy
from conspectus.interfaces.cli.main import cli

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
READMES = ("README.md", "README.zh.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHELLS = ("", "sh", "shell", "bash", "console")
HTTP = 'MAX = 5\n\n\ndef fetch(url: str) -> str:\n    """Fetch with retries."""\n    max_retries = 5\n    return url\n'

# What the older builder calls its parts: its packet, its settings, its arguments and its four steps.
OLDER = (
    "ContextPacket", "content", "timestamp", "metadata", "token_count", "relevance_score",
    "ContextConfig", "max_tokens", "reserve_ratio", "min_relevance", "relevance_weight", "recency_weight",
    "enable_mmr", "mmr_lambda", "system_prompt_template", "enable_compression", "get_available_tokens",
    "ContextBuilder", "memory_tool", "rag_tool", "config",
    "build", "user_query", "conversation_history", "system_instructions", "additional_packets", "custom_packets",
    "gather", "select", "structure", "compress", "count_tokens", "quality function",
)  # fmt: skip


def read(page: Path | str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def anchor(heading: str) -> str:
    """The name a heading is linked by, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def headings(page: Path) -> set[str]:
    """The names that a page's headings are linked by."""
    return {anchor(text) for text in re.findall(r"^#+ (.*)$", read(page), re.MULTILINE)} if page.is_file() else set()


def dead(page: Path) -> Iterator[str]:
    """Links of a page whose file, or heading in it, is not there."""
    for link in LINK.findall(read(page)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or not target.resolve().is_relative_to(ROOT) or heading not in {"", *headings(target)}:
            yield link


@pytest.mark.proves("R-PAIN-P103")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_something(page: Path) -> None:
    assert list(dead(page)) == []


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](gone.md) [b](page.md) [c](https://example.com)", encoding="utf-8")
    assert list(dead(page)) == ["gone.md", "page.md"], "a page outside the project is no page of it"
    assert anchor("What it promises: *all*") == "what-it-promises-all"


def lines(page: Path | str) -> list[str]:
    """What a reader may type: the lines of unlabelled and shell blocks, continued lines joined."""
    blocks = [
        text for language, text in BLOCK.findall(read(page)) if language in ("", "sh", "shell", "bash", "console")
    ]
    return [line.removeprefix("$ ") for text in blocks for line in text.replace("\\\n", " ").splitlines()]


def commands(page: Path | str, program: str) -> list[list[str]]:
    """The words of every call of `program` on a page, comments and redirections left out."""
    calls = [line.split(" > ")[0] for line in lines(page) if line.startswith(f"{program} ")]
    return [shlex.split(call, comments=True) for call in calls]


def unknown(words: list[str]) -> list[str]:
    """What of a call the command line does not know: its command, or options of it."""
    context = click.Context(cli)
    command = cli.get_command(context, words[1])
    if command is None:
        return [words[1]]
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    given = [word.partition("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)]
    return [name for name in given if name not in {*options, "--help", "-h"}]


@pytest.mark.proves("R-PAIN-P103")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_on_a_page_is_one_that_is_known(page: Path) -> None:
    placeholders = re.compile(r"[\[{|<]|[A-Z]{4,}|\.\.\.")
    calls = [words for words in commands(page, "conspectus") if not placeholders.search(" ".join(words))]
    assert {" ".join(words): unknown(words) for words in calls if unknown(words)} == {}
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), flags=re.MULTILINE))
    assert {word for words in commands(page, "make") for word in words[1:]} <= targets


def test_a_command_that_is_not_there_is_seen() -> None:
    assert unknown(["conspectus", "compress"]) == ["compress"]
    assert unknown(["conspectus", "why", "m.json", "a.md", "--verbosely"]) == ["--verbosely"]


@pytest.mark.proves("R-PAIN-P103")
@pytest.mark.parametrize("page", READMES)
def test_the_five_minutes_run_as_they_are_written(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shop = tmp_path / "src" / "shop"
    shop.mkdir(parents=True)
    (shop / "http.py").write_text(HTTP, encoding="utf-8")
    calls = commands(page, "conspectus")
    assert [words[1] for words in calls] == ["assemble", "why", "diagnose", "replay"]
    printed: list[str] = []
    for words in calls:
        request = next((tmp_path / ".conspectus" / "manifests").glob("*.json"), Path("none")).stem[:6]
        arguments = [word.replace("~", str(tmp_path)) for word in words[1:]]
        arguments = [request if re.fullmatch("[0-9a-f]{6}", word) else word for word in arguments]
        done = CliRunner().invoke(cli, arguments, prog_name="conspectus")
        assert done.exit_code == 0, (words, done.stderr)
        printed.append(done.stdout)
    assembled, why, diagnosed, replayed = printed
    assert "max_retries = 5" in assembled
    assert "http.py" in why
    assert "provided" in diagnosed
    assert replayed == assembled


@pytest.mark.proves("R-HOUSE-CI")
def test_both_readmes_name_the_same_commands() -> None:
    ours, theirs = (commands(page, "make") for page in READMES)
    assert ours == theirs == [["make", "demo"], ["make", "test"]]
    english, chinese = (commands(page, "conspectus") for page in READMES)
    assert [words[:2] + words[3:] for words in english] == [words[:2] + words[3:] for words in chinese]


def rows() -> list[list[str]]:
    """The cells of every row of the table of names, its head left out."""
    table = [line.strip("|").split(" | ") for line in read("docs/from-gssc.md").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in table[1:]]


@pytest.mark.proves("R-LAYOUT-TABLE")
def test_every_name_of_the_older_builder_has_a_row_that_says_what_became_of_it() -> None:
    left = " ".join(row[0] for row in rows())
    assert [name for name in OLDER if not re.search(rf"\b{name}\b", left)] == []
    assert [row for row in rows() if len(row) != 3 or not all(row)] == []


def known() -> dict[str, object]:
    """Every public name of every module, and what it is."""
    found: dict[str, object] = {}
    for module in pkgutil.walk_packages(conspectus.__path__, "conspectus."):
        if not module.name.endswith("__main__"):
            found |= {name: what for name, what in vars(importlib.import_module(module.name)).items() if name[0] != "_"}
    return found


@pytest.mark.proves("R-LAYOUT-TABLE")
def test_every_name_the_table_sends_a_reader_to_is_there() -> None:
    names, sections = known(), {f"[{section.value}]" for section in Section}
    signals, owner, lost = {"prior"}, "", list[str]()
    for code in re.findall(r"`([^`]+)`", " ".join(row[1] for row in rows())):
        program, _, command = code.partition(" ")
        name, _, field = code.partition("(")[0].partition(".")
        owner = name or owner
        fields = getattr(names.get(owner), "__dataclass_fields__", {}) | vars(names.get(owner, object))
        there = (
            set(re.findall(r"\[[^]]+\]", code)) <= sections
            if code[0] == "["
            else command in cli.list_commands(click.Context(cli))
            if program == "conspectus"
            else code in signals or ((owner in names) and (not field or field in fields))
        )
        if not there:
            lost.append(code)
    assert lost == []
    assert RankingPolicy().floor == 0.0, "the table says so"


@pytest.mark.proves("R-PAIN-P103")
def test_the_item_that_the_page_on_sources_shows_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = [text for language, text in BLOCK.findall(read("docs/sources.md")) if language == "json"]
    (tmp_path / "items.jsonl").write_text("".join(shown), encoding="utf-8")
    done = CliRunner().invoke(cli, ["assemble", "What is in stock?", "--items", "items.jsonl", "--manifest", "m.json"])
    assert done.exit_code == 0, done.stderr
    inside = {record["id"] for record in json.loads((tmp_path / "m.json").read_bytes())["items"]}
    assert {json.loads(line)["item_id"] for text in shown for line in text.splitlines()} <= inside
