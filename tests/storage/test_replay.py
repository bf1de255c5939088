"""From an assembly through files and archive back to the same payload, and a manifest that the schema accepts."""

import json
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest

from conspectus.assembly.replay import replay
from conspectus.core.call import Caller, Form
from conspectus.core.manifest import ContextManifest
from conspectus.errors import BlobMissing, MandatoryDenied
from conspectus.storage.archive import BlobArchive
from conspectus.storage.candidates import keep, recall
from conspectus.storage.home import Home
from conspectus.storage.manifests import read_manifest, write_manifest
from docs.build import manifest_schema
from tests.contract.parts import defined
from tests.inspection import scenes


def kept(folder: Path, form: Form, limit: int) -> ContextManifest:
    """The manifest of one assembly, written and read again, its candidates in the archive."""
    home = Home(folder)
    assembly = scenes.assembled(form=form, limit=limit, slots=scenes.SLOTS)
    archive = BlobArchive(home, "days:30", scenes.NOW)
    request = scenes.Request(question=scenes.QUESTION, slots=scenes.SLOTS)
    key = keep(archive, "acme", assembly.candidates, request)
    manifest = scenes.replace(assembly.manifest, candidates=key)
    write_manifest(home, manifest)
    read = read_manifest(home, manifest.request_id)
    assert read == manifest
    return read


@pytest.mark.proves("R-CONTRACT-REPLAY", "R-DOOR-MANIFEST-SCHEMA")
@pytest.mark.parametrize("form", [Form.TEXT, Form.JSON, Form.OPENAI, Form.ANTHROPIC])
@pytest.mark.parametrize("limit", [800, 2_200, 100_000])
def test_a_payload_is_rebuilt_byte_for_byte(tmp_path: Path, form: Form, limit: int) -> None:
    manifest = kept(tmp_path, form, limit)
    written = json.loads((tmp_path / "manifests" / f"{manifest.request_id}.json").read_bytes())
    jsonschema.Draft202012Validator(manifest_schema()).validate(written)
    found = recall(BlobArchive(Home(tmp_path), "keep", scenes.NOW), "acme", manifest.candidates, scenes.NOW)
    again = replay(manifest, found.items, found.request, defined("words", form), scenes.CALLER)
    assert again.payload.payload_hash == manifest.payload_hash
    assert (again.manifest.request_id, again.manifest.items) == (manifest.request_id, manifest.items)


@pytest.mark.proves("R-DOOR-REPLAY", "R-DOOR-RETENTION")
def test_who_may_not_read_gets_nothing_and_what_is_past_its_retention_is_gone(tmp_path: Path) -> None:
    manifest = kept(tmp_path, Form.TEXT, 2_200)
    found = recall(BlobArchive(Home(tmp_path), "keep", scenes.NOW), "acme", manifest.candidates, scenes.NOW)
    with pytest.raises(MandatoryDenied):
        replay(manifest, found.items, found.request, defined("words"), Caller(principal="eve", tenant="other"))
    later = scenes.NOW + timedelta(days=30)
    with pytest.raises(BlobMissing):
        recall(BlobArchive(Home(tmp_path), "keep", later), "acme", manifest.candidates, later)


@pytest.mark.proves("R-STEP-NO-TRACE", "R-CONTRACT-NO-CONTENT")
def test_what_was_refused_leaves_no_trace_in_the_state_and_manifests_hold_no_content(tmp_path: Path) -> None:
    manifest = kept(tmp_path, Form.TEXT, 2_200)
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        data = path.read_bytes()
        for canary in (scenes.SECRET.item_id, "margin on kettles", "canary: the error text"):
            assert canary.encode() not in data
    written = (tmp_path / "manifests" / f"{manifest.request_id}.json").read_text(encoding="utf-8")
    for item in (scenes.PERIOD, scenes.LATER, scenes.CHINESE, scenes.RULES):
        assert item.content not in written
    assert scenes.QUESTION not in written
