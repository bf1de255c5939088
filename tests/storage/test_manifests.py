"""Manifests are written whole, read strictly, and found by path, id or the beginning of an id."""

import json
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.manifest import SCHEMA_VERSION, Ledger, Reason, Run, Stage, Verdict
from conspectus.errors import Corrupt, InputError
from conspectus.storage.home import Home
from conspectus.storage.manifests import (
    decode_manifest,
    encode_manifest,
    find_manifest,
    read_manifest,
    write_manifest,
)
from docs.build import manifest_schema
from tests.house.sources import ROOT
from tests.storage.samples import GOLDEN, LAZY, MANIFEST

LUCK = {"subject": "a", "stage": "select", "verdict": "kept", "reason": "luck"}
SCHEMA = ROOT / "docs" / "schemas" / f"manifest-v{SCHEMA_VERSION}.json"


def changed(**fields: Any) -> bytes:
    return json.dumps(json.loads(encode_manifest(MANIFEST)) | fields).encode()


@pytest.mark.proves("R-HOUSE-SCHEMAS")
@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_every_schema_version_has_a_golden_file_that_decodes_and_encodes_to_the_same_bytes(version: int) -> None:
    golden = GOLDEN.with_name(f"manifest-v{version}.json")
    data = golden.read_bytes()
    manifest = decode_manifest(data, str(golden))
    assert version < SCHEMA_VERSION or encode_manifest(manifest) == data
    assert version < SCHEMA_VERSION or manifest == MANIFEST


@pytest.mark.proves("R-DOOR-MANIFEST-SCHEMA")
def test_the_published_schema_is_current_and_a_manifest_satisfies_it() -> None:
    published = SCHEMA.read_text(encoding="utf-8")
    assert published == json.dumps(manifest_schema(), indent=2, ensure_ascii=False) + "\n"
    jsonschema.Draft202012Validator(json.loads(published)).validate(json.loads(encode_manifest(MANIFEST)))


def test_decisions_kept_as_columns_are_written_row_by_row() -> None:
    assert encode_manifest(LAZY) == encode_manifest(MANIFEST)
    assert isinstance(decode_manifest(encode_manifest(LAZY), "m").decisions, tuple)


def test_a_large_manifest_is_compact_and_fast() -> None:
    count = 20_000
    run = Run(
        subjects=tuple(f"file/src/package/module_{number}.py#L1-{number}" for number in range(count)),
        stage=Stage.SELECT,
        verdict=Verdict.OMITTED,
        reason=Reason.BUDGET_EXCEEDED,
        names=("relevance", "recency", "prior", "value"),
        scores=np.linspace(0, 1, 4 * count).round(6).reshape(count, 4),
    )
    large = replace(MANIFEST, decisions=Ledger((), (run,)))
    began = time.process_time()
    data = encode_manifest(large)
    spent = time.process_time() - began
    assert data.count(b"\n") == 1
    assert spent < 1, "a tenth of a second on an idle machine"
    assert encode_manifest(decode_manifest(data, "m")) == data


@given(
    st.lists(
        st.builds(
            replace,
            st.sampled_from(MANIFEST.decisions),
            subject=st.text(st.characters(exclude_categories=["Cs"])),
            scores=st.lists(st.tuples(st.text("abc"), st.floats(allow_nan=False, allow_infinity=False))).map(tuple),
            detail=st.text(st.characters(exclude_categories=["Cs"])),
        )
    )
)
def test_any_decisions_come_back(decisions: list[Any]) -> None:
    manifest = replace(MANIFEST, decisions=tuple(decisions))
    assert decode_manifest(encode_manifest(manifest), "m") == manifest


@pytest.mark.parametrize(
    ("data", "line", "field"),
    [
        (b"", None, ""),
        (b"{\n \n", None, ""),
        (b'{\n "a": 1,\n x}', 3, ""),
        (b"[]", None, ""),
        (b"\xff\xfe", 1, ""),
        (b'{"schema_version": 1, "price": ' + b"[" * 9_999, None, ""),
        (b'{"schema_version": 1, "model": "\xff"}', None, ""),
        (b'{"schema_version": 1}', None, "request_id"),
        (b"{}", None, "schema_version"),
        (changed(schema_version=0), None, "schema_version"),
        (changed(schema_version="1"), None, "schema_version"),
        (changed(extra=1), None, "extra"),
        (changed(price="dear"), None, "price"),
        (changed(items=[{"id": 3}]), None, "items[0].id"),
        (changed(items=[{"id": "a"}]), None, "items[0].hash"),
        (changed(request_id="../../etc/passwd"), None, "request_id"),
        (changed(request_id=""), None, "request_id"),
        (changed(assembled_at="2026-01-01"), None, "assembled_at"),
        (changed(assembled_at="yesterday"), None, "assembled_at"),
        (changed(format="xml"), None, "format"),
        (changed(spec_hash="00" * 32), None, "spec_hash"),
        (changed(input_tokens=204), None, "input_tokens"),
        (changed(decisions=[LUCK]), None, "decisions[0].reason"),
    ],
)  # fmt: skip
@pytest.mark.proves("R-BAD-JSON")
def test_what_is_no_manifest_is_refused_with_the_place(data: bytes, line: int | None, field: str) -> None:
    with pytest.raises(InputError) as refused:
        decode_manifest(data, "m.json")
    assert (refused.value.path, refused.value.line, refused.value.field) == ("m.json", line, field)


@pytest.mark.proves("R-DOOR-STATE")
def test_a_newer_schema_is_refused() -> None:
    with pytest.raises(Corrupt, match="schema version 2, this installation knows 1"):
        decode_manifest(changed(schema_version=2, news={}), "m.json")


@given(st.data())
def test_damaged_bytes_are_refused_and_nothing_else_happens(data: st.DataObject) -> None:
    whole = encode_manifest(MANIFEST)
    start = data.draw(st.integers(0, len(whole)))
    damaged = whole[:start] + data.draw(st.binary(max_size=3)) + whole[data.draw(st.integers(start, len(whole))) :]
    with suppress(InputError, Corrupt):
        decode_manifest(damaged, "m")


@pytest.mark.proves("R-DOOR-MANIFEST-REF")
def test_a_manifest_is_found_by_path_id_and_unique_beginning(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    other = replace(MANIFEST, request_id="0123450000000000")
    path = write_manifest(home, MANIFEST)
    write_manifest(home, other)
    assert path == home.manifests / "0123456789abcdef.json"
    for reference in (str(path), MANIFEST.request_id, "0123456", "0123456789abcde"):
        assert read_manifest(home, reference) == MANIFEST
    assert read_manifest(home, "0123450") == other


@pytest.mark.proves("R-DOOR-MANIFEST-REF")
@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("012345", "may mean 0123450000000000, 0123456789abcdef; write more"),
        ("01234", "neither a file nor"),
        ("", "neither a file nor"),
        ("ABCDEF", "neither a file nor"),
        ("../012345", "neither a file nor"),
        ("a\0b", "neither a file nor"),
        ("missing.json", "neither a file nor"),
        ("abcdef", "no such manifest in"),
        ("abcdef0123456789", "no such manifest in"),
        (".", "neither a file nor"),
        ("x" * 5_000, "neither a file nor"),
    ],
)
def test_what_means_no_manifest_is_told(tmp_path: Path, reference: str, message: str) -> None:
    home = Home(tmp_path)
    write_manifest(home, MANIFEST)
    write_manifest(home, replace(MANIFEST, request_id="0123450000000000"))
    with pytest.raises(InputError, match=message):
        read_manifest(home, reference)


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with pytest.raises(InputError):
        find_manifest(home, "abcdef")
    assert not home.path.exists()


@pytest.mark.proves("R-DOOR-STATE")
def test_a_damaged_manifest_of_the_state_is_corrupt_and_one_given_by_path_is_bad_input(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    path = write_manifest(home, MANIFEST)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(Corrupt):
        read_manifest(home, MANIFEST.request_id)
    copy = tmp_path / "copy.json"
    copy.write_bytes(path.read_bytes())
    with pytest.raises(InputError):
        read_manifest(home, str(copy))


def test_an_id_that_is_no_name_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="request_id"):
        write_manifest(Home(tmp_path), replace(MANIFEST, request_id="../../escaped"))
    assert list(tmp_path.iterdir()) == []
