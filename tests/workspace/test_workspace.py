"""The workspace from Python: nothing kept on failure, counts remembered and still exact, ids of folders apart."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.call import Caller, Form
from conspectus.core.item import Kind
from conspectus.core.message import Message, Prompt, Role, TextPart, ToolSchema
from conspectus.core.spec import Share
from conspectus.errors import (
    BlobMissing,
    Corrupt,
    IncompatibleSpec,
    MandatoryDenied,
    MandatoryOverflow,
    UnknownRevision,
)
from conspectus.models.registry import resolve
from conspectus.storage.cache import KeyValueCache
from conspectus.storage.home import Home
from conspectus.workspace import Brief, Workspace, read_share
from conspectus.workspace.folders import open_folders
from conspectus.workspace.memory import Memory
from conspectus.workspace.remembered import Remembered

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
ANN = Caller(principal="ann")
TEXTS = st.text(st.sampled_from("ab <[\n退货é🙂\u0301 "), max_size=12)


class Shelf:
    """A cache in memory that remembers what it was asked."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], bytes] = {}
        self.missed = 0

    def load(self, revision: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        found = {key: self.entries[revision, key] for key in keys if (revision, key) in self.entries}
        self.missed += len(set(keys)) - len(found)
        return found

    def save(self, revision: str, entries: Mapping[str, bytes]) -> None:
        self.entries.update({(revision, key): value for key, value in entries.items()})


@pytest.mark.proves("R-COUNT-CACHE")
@pytest.mark.parametrize("form", [Form.TEXT, Form.OPENAI])
@given(texts=st.lists(TEXTS, max_size=4))
def test_a_remembered_count_is_a_fresh_one(form: Form, texts: list[str]) -> None:
    fresh = resolve("o200k", form)
    shelf = Shelf()
    remembered = Remembered(fresh, shelf)
    blocks = [f"<{text}\n\n" for text in texts]
    turns = [(Message(role=Role.USER, parts=(TextPart(text=text),)),) for text in texts]
    tools = [ToolSchema(name="f", description=text, parameters="{}") for text in texts]
    prompt = Prompt(text="".join(texts)) if form is Form.TEXT else Prompt(messages=tuple(t for (t,) in turns))
    for again in range(2):
        shelf.missed = 0
        assert np.array_equal(remembered.count_blocks(blocks), fresh.count_blocks(blocks))
        assert np.array_equal(remembered.count_turns(turns), fresh.count_turns(turns))
        assert np.array_equal(remembered.count_tools(tools), fresh.count_tools(tools))
        assert remembered.count(prompt) == fresh.count(prompt)
        assert remembered.encode(prompt) == fresh.encode(prompt)
        assert shelf.missed == 0 or not again


@pytest.mark.proves("R-COUNT-CACHE")
@pytest.mark.parametrize("damage", [b"", b"\0", b"\xff" * 8, b"\0" * 9])
def test_a_damaged_count_is_counted_again(damage: bytes) -> None:
    fresh, shelf = resolve("o200k", Form.TEXT), Shelf()
    remembered = Remembered(fresh, shelf)
    blocks = ["<one\n\n", "<two\n\n"]
    remembered.count_blocks(blocks)
    shelf.entries = dict.fromkeys(shelf.entries, damage)
    assert np.array_equal(remembered.count_blocks(blocks), fresh.count_blocks(blocks))


def test_a_remembered_profile_is_the_one_it_remembers_for() -> None:
    for form in Form:
        inner = resolve("claude", form)
        outer = Remembered(inner, Shelf())
        for name in ("name", "form", "model_revision", "tokenizer_revision", "template_revision", "exactness", "margin",
                     "limits", "control_strings"):  # fmt: skip
            assert getattr(outer, name) == getattr(inner, name)


def test_counts_of_one_form_or_model_are_not_taken_for_another_s() -> None:
    shelf = Shelf()
    prompt = Prompt(messages=(Message(role=Role.USER, parts=(TextPart(text="<hello\n\n"),)),))
    for name in ("o200k", "cl100k", "claude"):
        for form in (Form.OPENAI, Form.ANTHROPIC):
            profile = resolve(name, form)
            assert Remembered(profile, shelf).count(prompt) == profile.count(prompt)
            assert list(Remembered(profile, shelf).count_blocks(["<退货\n\n"])) == list(
                profile.count_blocks(["<退货\n\n"])
            )


def test_memory_holds_back_what_is_new_until_it_is_told_to_keep_it(tmp_path: Path) -> None:
    cache = KeyValueCache(Home(tmp_path / "home"))
    memory = Memory(cache)
    memory.save("r", {"a": b"1"})
    assert memory.load("r", ["b", "a", "a"]) == {"a": b"1"}
    assert not (tmp_path / "home").exists()
    memory.keep()
    assert Memory(cache).load("r", ["a"]) == {"a": b"1"}
    assert Memory(cache).load("s", ["a"]) == {}
    cache.close()


@pytest.mark.proves("R-BUDGET-SHARES")
@given(limit=st.integers(1, 200_000), ends=st.tuples(st.integers(0, 100), st.integers(0, 100)).map(sorted))
def test_a_percentage_of_the_limit_is_rounded_down_exactly(limit: int, ends: list[int]) -> None:
    least, most = ends
    share = read_share(f"evidence={least}%:{most}.0%", limit)
    assert share == Share(kind=Kind.EVIDENCE, minimum=limit * least // 100, maximum=limit * most // 100)
    assert read_share(f"note={least}:", limit) == Share(kind=Kind.NOTE, minimum=least)
    assert read_share(":".join(("history=", str(most))), limit) == Share(kind=Kind.HISTORY, maximum=most)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("evidence=:101%", ("evidence=:101%", "at most 100%", "50 tokens")),
        ("evidence=100.1%:", ("evidence=100.1%:", "at most 100%")),
        ("evidence=60%:10%", ("evidence=60%:10%", "no range", "30 tokens")),
        ("evidence=40:50%", ("evidence=40:50%", "no range", "40 tokens")),
    ],
)
def test_a_share_that_cannot_be_is_refused_as_it_was_written(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(IncompatibleSpec) as refused:
        read_share(text, 50)
    assert [word for word in words if word not in str(refused.value)] == []


@pytest.mark.parametrize(
    "text", ["", "evidence", "evidence=", "evidence=1", "=1:2", "evidence=١:٢", "evidence=1%%:", "e v=1:2"]
)
def test_a_share_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(IncompatibleSpec, match="KIND=MIN:MAX"):
        read_share(text, 100)


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(UnknownRevision, match="tool_result"):
        read_share("rumour=1:2", 100)


@given(names=st.lists(st.sampled_from(["a", "b", "c/a", "c/b", "d/a", ".", "c"]), min_size=1, max_size=6))
def test_ids_of_several_folders_never_collide(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    root = tmp_path_factory.mktemp("folders")
    for name in ("a", "b", "c/a", "c/b", "d/a", "c/a/a", "b/a-2"):
        (root / name).mkdir(parents=True, exist_ok=True)
        (root / name / "note.md").write_text(f"# Note of {name}\n\nText.\n", encoding="utf-8")
    brief = Brief(question="What is noted?", folders=tuple(root / name for name in names))
    with Workspace.open(root / "home") as workspace:
        assembly = workspace.assemble(brief, ANN, NOW)
    ids = [item.item_id for item in assembly.candidates]
    assert len(ids) == len(set(ids))
    sources = open_folders(brief.folders, (), "local", Shelf())
    assert len({source.name for source in sources}) == len({(root / name).resolve() for name in names})


def test_a_library_call_keeps_manifest_and_candidates_and_replays(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nRetries are configured in http.py.\n", encoding="utf-8")
    brief = Brief(question="Where are retries configured?", folders=(tmp_path,), shares=(Share(kind=Kind.NOTE),))
    workspace = Workspace.open(tmp_path / "home")
    assembly = workspace.assemble(brief, ANN, NOW)
    manifest = workspace.manifest(assembly.manifest.request_id)
    assert manifest.candidates
    assert manifest.payload_hash == assembly.payload.payload_hash
    assert workspace.replay(manifest, ANN, NOW).payload == assembly.payload
    assert {item.item_id for item in workspace.candidates(manifest, ANN, NOW)} >= {"request", "file/note.md#L1-3"}
    assert workspace.reports == ()
    workspace.close()
    assert workspace.replay(manifest, ANN, NOW).payload == assembly.payload
    workspace.close()


def test_candidates_are_only_those_the_reader_may_read(tmp_path: Path) -> None:
    lines = (
        {"item_id": "a", "kind": "evidence", "content": "For all.", "tenant": "local"},
        {"item_id": "b", "kind": "evidence", "content": "For finance.", "readers": ["finance"]},
    )
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with Workspace.open(tmp_path / "home") as workspace:
        brief = Brief(question="What?", items=path)
        manifest = workspace.assemble(brief, Caller(groups=frozenset({"finance"})), NOW).manifest
        assert {item.item_id for item in workspace.candidates(manifest, ANN, NOW)} == {"request", "a"}
        with pytest.raises(MandatoryDenied):
            workspace.replay(manifest, ANN, NOW)
        with pytest.raises(MandatoryDenied):
            workspace.candidates(manifest, Caller(tenant="other"), NOW)
    with Workspace.open(tmp_path / "empty") as other, pytest.raises(BlobMissing):
        other.candidates(manifest, ANN, NOW)


def test_a_failed_assembly_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nRetries.\n", encoding="utf-8")
    with Workspace.open(tmp_path / "home") as workspace:
        with pytest.raises(MandatoryOverflow):
            workspace.assemble(Brief(question="What?", folders=(tmp_path,), input_limit=1), ANN, NOW)
        with pytest.raises(IncompatibleSpec):
            workspace.assemble(Brief(question="What?", folders=(tmp_path,), input_limit=0), ANN, NOW)
    assert not (tmp_path / "home").exists()


def test_a_newer_state_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('{"schema_version": 99}', encoding="utf-8")
    with pytest.raises(Corrupt, match="newer"):
        Workspace.open(tmp_path)
