"""The pages say what the code does: built parts are up to date, and every snippet and example runs."""

import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from docs import build
from tests.house.sources import ROOT

RUNNABLE = sorted([*(ROOT / "docs_src").glob("*.py"), *(ROOT / "examples").glob("*.py")])


@pytest.mark.proves("R-HOUSE-DOCS")
def test_built_parts_are_up_to_date() -> None:
    stale = [
        str(path.relative_to(ROOT))
        for path, text in build.built(ROOT).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run `make docs`"


@pytest.mark.proves("R-DOOR-MANIFEST-SCHEMA")
def test_the_manifest_schema_is_a_valid_schema_with_the_promised_fields() -> None:
    schema = build.manifest_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    promised = {"spec_hash", "request_id", "assembled_at", "format", "input_tokens", "input_limit", "exactness"}
    promised |= {"payload_hash", "items", "decisions", "schema_version"}
    assert promised <= set(schema["$defs"]["ContextManifest"]["required"])
    assert {"subject", "stage", "verdict", "reason", "tokens", "scores"} <= set(schema["$defs"]["Decision"]["required"])
    item = {"id", "hash", "tokens", "position", "source_uri", "source_version", "transformations"}
    assert item <= set(schema["$defs"]["ItemRecord"]["required"])


def test_a_page_takes_in_the_text_of_a_snippet_without_its_docstring(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('"""What it is."""\n\nx = 1\n', encoding="utf-8")
    page = "Before\n<!-- snippet: one.py -->\n```python\nold\n```\nafter\n"
    taken = build.with_snippets(page, tmp_path)
    assert taken == "Before\n<!-- snippet: one.py -->\n```python\nx = 1\n```\nafter\n"
    assert build.with_snippets(taken, tmp_path) == taken


@pytest.mark.proves("R-HOUSE-DOCS")
@pytest.mark.parametrize("path", RUNNABLE, ids=lambda path: path.stem)
def test_every_snippet_and_example_runs_in_an_empty_folder(path: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
