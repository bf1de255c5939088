"""A tokenizer.json, or the vocabulary of a GGUF file, counted by the reference library of open tokenizers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from conspectus.errors import InputError
from conspectus.models.local.gguf import Value

_MEMO = 400_000
_CONTROL, _USER_DEFINED = 3, 4


class Vocabulary:
    """Text and scaffold to tokens. `spans` of scaffold parse control strings; neutralised data holds none."""

    def __init__(self, tokenizer: Tokenizer, revision: str) -> None:
        self._tokenizer = tokenizer
        self._memo: dict[str, int] = {}
        self.revision = revision

    def count(self, text: str) -> int:
        """Tokens of `text`, control strings parsed and nothing added."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def count_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text; what was counted before is remembered."""
        memo = self._memo
        if len(memo) > _MEMO:
            memo.clear()
        new = [text for text in dict.fromkeys(texts) if text not in memo]
        encoded = self._tokenizer.encode_batch(new, add_special_tokens=False)
        memo.update((text, len(encoding.ids)) for text, encoding in zip(new, encoded, strict=True))
        return np.array([memo[text] for text in texts], dtype=np.int64)

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, control strings parsed."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    @property
    def added(self) -> dict[str, bool]:
        """Every added token and whether it is a special one."""
        return {token.content: token.special for token in self._tokenizer.get_added_tokens_decoder().values()}


def from_json(text: str, path: str, revision: str) -> Vocabulary:
    """The vocabulary of a tokenizer.json.

    Raises:
        InputError: the library cannot read it.
    """
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:
        raise InputError(path, f"is no tokenizer.json this library reads: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return Vocabulary(tokenizer, revision)


def from_gguf(metadata: dict[str, Value], path: str, revision: str) -> Vocabulary:
    """The byte-level vocabulary in a GGUF file's metadata.

    Raises:
        InputError: it has none, or splits text by rules that are not verified here.
    """
    split = metadata.get("tokenizer.ggml.pre", "")
    if metadata.get("tokenizer.ggml.model") != "gpt2" or split not in _SPLITS:
        known = ", ".join(_SPLITS)
        raise InputError(path, f"splits text by {split!r}; verified here: {known}; use a folder with tokenizer.json")
    tokens = [str(token) for token in _listed(metadata, "tokenizer.ggml.tokens", path)]
    merges = [tuple(str(merge).split(" ", 1)) for merge in _listed(metadata, "tokenizer.ggml.merges", path)]
    kinds = _listed(metadata, "tokenizer.ggml.token_type", path)
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[(a, b) for a, b in merges], fuse_unk=False))
    tokenizer.pre_tokenizer = _SPLITS[str(split)]
    tokenizer.decoder = decoders.ByteLevel()
    marked = [(token, kind) for token, kind in zip(tokens, kinds, strict=True) if kind in (_CONTROL, _USER_DEFINED)]
    untyped: Any = tokenizer  # the library's own types leave the element open
    untyped.add_special_tokens([AddedToken(t, special=True, normalized=False) for t, k in marked if k == _CONTROL])
    untyped.add_tokens([AddedToken(t, normalized=False) for t, k in marked if k == _USER_DEFINED])
    return Vocabulary(tokenizer, revision)


_BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
_SPLITS = {
    "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _BYTES]),
    "gpt-2": _BYTES,
}


def _listed(metadata: dict[str, Value], key: str, path: str) -> list[Value]:
    found = metadata.get(key)
    if not isinstance(found, list):
        raise InputError(path, f"has no {key}")
    return found
