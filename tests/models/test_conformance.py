"""Every profile keeps the promises of conformance.py: the named ones, and open models of every kind."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conspectus.core.call import Form
from conspectus.models.registry import resolve
from tests.models.conformance import check_profile
from tests.models.folders import TEMPLATES, TOKENIZERS, write_folder
from tests.models.vocabularies import carried

MOMENT = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAMED = ("o200k", "cl100k", "claude", "openai/gpt-4.1-mini", "anthropic/claude-opus-5", "smollm2")


@pytest.mark.proves("R-COUNT-CONFORMS", "R-COUNT-OPENAI", "R-COUNT-ANTHROPIC", "R-COUNT-LOCAL", "R-COUNT-UNKNOWN")
@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("name", NAMED)
def test_named_profiles(name: str, form: Form) -> None:
    check_profile(resolve(name, form, output=256))


@pytest.mark.proves("R-COUNT-CONFORMS", "R-COUNT-LOCAL", "R-COUNT-ADDITIVE")
@pytest.mark.parametrize("template", [*TEMPLATES, "dated"])
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_open_models(kind: str, template: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", kind, template)
    profile = resolve(str(folder), Form.OPENAI, moment=MOMENT)
    assert profile.additive  # type: ignore[attr-defined]
    check_profile(profile)


@pytest.mark.proves("R-COUNT-CONFORMS", "R-COUNT-LOCAL")
@pytest.mark.parametrize(("vocabulary", "template"), [("deepseek", "fullwidth"), ("claude-2", "bars")])
def test_published_vocabularies(vocabulary: str, template: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", "bytes", template)
    (folder / "tokenizer.json").write_bytes(carried(vocabulary).read_bytes())
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "", "eos_token": ""}), "utf-8")
    check_profile(resolve(str(folder), Form.JSON))
