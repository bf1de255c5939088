"""Every source there is, put through the conformance suite."""

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.core.call import Caller, Request
from conspectus.core.item import ContextItem
from conspectus.core.manifest import Gathered
from conspectus.core.ports import Source
from conspectus.errors import InputError
from conspectus.sources.demonstrations import read_demonstrations
from conspectus.sources.files.source import FilePolicy, FileSource
from conspectus.sources.history.source import read_history
from conspectus.sources.instructions import RequestSource, read_instructions
from conspectus.sources.items import ItemSource, read_items
from conspectus.sources.slots import read_slots
from tests.sources.conformance import NOW, OWNER, Case, check_source, lines, write_lines

TEXTS = st.lists(
    st.text(alphabet="ab9 退款期限ü한🙂.,'\"<[", min_size=1, max_size=40).map(lambda text: f"x{text}y"),
    min_size=2,
    max_size=4,
    unique=True,
)
STAFF = frozenset({"staff"})


def write_files(root: Path, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        (root / f"{number}.txt").write_text(f"{text}\n", encoding="utf-8")


def found_in_file(root: Path, item: ContextItem) -> str | None:
    name, _, place = item.item_id.removeprefix("file/").partition("#")
    if place == "outline":
        return None
    first, _, last = place.removeprefix("L").partition("-")
    return "\n".join(lines(root / name)[int(first) - 1 : int(last or first)])


def write_items(root: Path, texts: Sequence[str]) -> None:
    write_lines(
        root / "items.jsonl",
        [
            {"item_id": f"note/{n}", "kind": "note", "content": text, "source_uri": "desk:", "source_version": text}
            for n, text in enumerate(texts)
        ],
    )


def staff_items(root: Path, tenant: str) -> Source:
    items = read_items(root / "items.jsonl", tenant).gather(Request(question="?"), OWNER, NOW).items
    return ItemSource([replace(item, readers=STAFF) for item in items])


def found_item(root: Path, item: ContextItem) -> str:
    (text,) = [r["content"] for r in map(json.loads, lines(root / "items.jsonl")) if r["item_id"] == item.item_id]
    return str(text)


def write_history(root: Path, texts: Sequence[str]) -> None:
    roles = ("user", "assistant")
    write_lines(
        root / "talk.jsonl",
        [{"role": roles[n % 2], "content": text, "timestamp": 1_767_000_000 + n} for n, text in enumerate(texts)],
    )


def write_examples(root: Path, texts: Sequence[str]) -> None:
    write_lines(root / "shown.jsonl", [{"input": text, "output": f"answer {n}"} for n, text in enumerate(texts)])


def numbered(file: str, field: str, prefix: str, root: Path, item: ContextItem) -> str:
    """What stands on the line that an id ends with."""
    return str(json.loads(lines(root / file)[int(item.item_id.removeprefix(prefix)) - 1])[field])


CASES = (
    Case(
        label="files",
        write=write_files,
        open=lambda root, tenant: FileSource(root, tenant=tenant),
        restricted=lambda root, tenant: FileSource(root, tenant=tenant, policy=FilePolicy(readers=STAFF)),
        found=found_in_file,
    ),
    Case(
        label="items",
        write=write_items,
        open=lambda root, tenant: read_items(root / "items.jsonl", tenant),
        restricted=staff_items,
        found=found_item,
    ),
    Case(
        label="history",
        write=write_history,
        open=lambda root, _: read_history(root / "talk.jsonl"),
        found=lambda root, item: numbered("talk.jsonl", "content", "history/", root, item),
    ),
    Case(
        label="examples",
        write=write_examples,
        open=lambda root, _: read_demonstrations(root / "shown.jsonl"),
        found=lambda root, item: numbered("shown.jsonl", "input", "example/", root, item),
    ),
    Case(
        label="instructions",
        write=write_files,
        open=lambda root, _: read_instructions(
            sorted(path for path in root.iterdir() if path.name[0].isdigit()) if root.exists() else [root]
        ),
        found=lambda root, item: "\n".join(lines(root / item.item_id.removeprefix("instruction/"))),
    ),
    Case(
        label="request",
        write=lambda root, texts: (root / "question").write_text("\n".join(texts), encoding="utf-8") and None,
        open=lambda *_: RequestSource(),
        found=lambda root, _: (root / "question").read_text(encoding="utf-8"),
        asked="\n".join,
        reads=False,
    ),
)


@pytest.mark.proves("R-SOURCE-CONFORMS")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
@given(texts=TEXTS)
@settings(max_examples=15)
def test_a_source_keeps_every_promise(case: Case, texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_source(case, Path(folder), texts)


class Spoilt:
    """A source that breaks one promise."""

    name = "items"

    def __init__(self, inner: Source, spoil: Callable[[tuple[ContextItem, ...], int], tuple[ContextItem, ...]]) -> None:
        self._inner = inner
        self._spoil = spoil
        self._calls = 0

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:
        self._calls += 1
        gathered = self._inner.gather(request, caller, now)
        return replace(gathered, items=self._spoil(gathered.items, self._calls))


SPOILT: dict[str, Callable[[tuple[ContextItem, ...], int], tuple[ContextItem, ...]]] = {
    "another order each time": lambda items, calls: items[:: -1 if calls % 2 else 1],
    "an id twice": lambda items, _: (*items, items[0]),
    "a text left out": lambda items, _: items[1:],
    "an id that leads elsewhere": lambda items, _: (
        replace(items[0], content=items[1].content),
        replace(items[1], content=items[0].content),
        *items[2:],
    ),
    "a version that stays": lambda items, _: tuple(replace(item, source_version="1") for item in items),
    "a version that always changes": lambda items, _: tuple(
        replace(item, source_version="".join(each.content for each in items)) for item in items
    ),
    "everybody's tenant": lambda items, _: tuple(replace(item, tenant="public") for item in items),
    "no readers": lambda items, _: tuple(replace(item, readers=frozenset()) for item in items),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_the_suite_notices_a_broken_promise(
    spoil: Callable[[tuple[ContextItem, ...], int], tuple[ContextItem, ...]], tmp_path: Path
) -> None:
    (sound,) = [case for case in CASES if case.label == "items"]
    broken = replace(
        sound,
        open=lambda root, tenant: Spoilt(sound.open(root, tenant), spoil),
        restricted=lambda root, tenant: Spoilt(staff_items(root, tenant), spoil),
    )
    with pytest.raises(AssertionError):
        check_source(broken, tmp_path, ["one 一", "two 二", "three 三"])


@pytest.mark.proves("R-SOURCE-CONFORMS")
def test_every_source_of_the_house_is_in_the_suite() -> None:
    """A class of `conspectus.sources` that gathers has a case above."""
    sources = Path(read_items.__code__.co_filename).parent
    gathering = {path.name for path in sources.rglob("*.py") if "    def gather(self" in path.read_text("utf-8")}
    modules = {"source.py", "items.py", "demonstrations.py", "instructions.py"}
    assert gathering == modules
    assert len(CASES) == len(modules) + 2  # source.py is that of files and of history; a request has no file of its own


@pytest.mark.proves("R-SOURCE-CONFORMS")
def test_a_folder_withholds_its_files_before_any_is_read(tmp_path: Path) -> None:
    write_files(tmp_path, ["salaries rise"])
    source = FileSource(tmp_path, tenant="acme", policy=FilePolicy(readers=STAFF))
    offered = source.gather(Request(question="?"), replace(OWNER, groups=frozenset()), NOW)
    assert (offered.items, offered.decisions, offered.refused) == ((), (), (("files", 1),))


@pytest.mark.proves("R-SOURCE-CONFORMS")
@given(texts=TEXTS)
@settings(max_examples=15)
def test_slots_are_read_alike_every_time_and_refused_by_name(texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "slots.json"
        path.write_text(json.dumps(texts), encoding="utf-8")
        assert read_slots(path) == read_slots(path)
        assert [slot.name for slot in read_slots(path)] == texts
        path.unlink()
        with pytest.raises(InputError, match=r"slots\.json"):
            read_slots(path)
