"""Counts of blocks: made once, the same from the cache, and adding up under every tokenizer."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from conspectus.core.call import Form
from conspectus.core.message import Prompt
from conspectus.errors import InputError
from conspectus.models import counting
from conspectus.models.certify import adds_up
from conspectus.models.counting import BlockCounter
from conspectus.models.encodings import load_encoding
from conspectus.models.registry import resolve
from tests.models.texts import block, texts


class Letters:
    """A tokenizer whose tokens are characters, and which tells what it was asked."""

    revision = "letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        return len(text)

    def count_many(self, many: Sequence[str]) -> NDArray[np.int64]:
        self.asked += many
        return np.array(list(map(len, many)), dtype=np.int64)

    def encode(self, text: str) -> list[int]:
        return list(map(ord, text))


class Pairs(Letters):
    """A tokenizer that reads two characters at a time, so that nothing adds up."""

    revision = "pairs"

    def count(self, text: str) -> int:
        return -(-len(text) // 2)

    def count_many(self, many: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self.count(text) for text in many], dtype=np.int64)


def test_every_block_is_counted_once() -> None:
    letters = Letters()
    counter = BlockCounter(letters)
    assert counter.count_blocks(["aa", "b", "aa", ""]).tolist() == [2, 1, 2, 0]
    assert counter.count_blocks(["b", "ccc", "aa"]).tolist() == [1, 3, 2]
    assert letters.asked == ["aa", "b", "ccc"]
    assert counter.count_blocks([]).tolist() == []


def test_the_memory_is_bounded_and_its_loss_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MEMORY", 50)
    counter = BlockCounter(Letters())
    for start in range(20):
        blocks = [f"block {number}" for number in range(start, start + 5)]
        assert counter.count_blocks([*blocks, "", *blocks]).tolist() == [*map(len, blocks), 0, *map(len, blocks)]
        assert sum(map(len, counter._counts)) <= 50 + 45


def test_a_surrogate_is_refused() -> None:
    with pytest.raises(InputError, match="surrogate"):
        BlockCounter(load_encoding("o200k_base")).count_blocks(["a", "\ud800"])


def test_a_block_is_counted_between_its_neighbours() -> None:
    letters = Letters()
    counter = BlockCounter(letters, ("[", "]]"))
    assert counter.count_blocks(["abc", "", "de"]).tolist() == [3, 0, 2]
    assert letters.asked == ["[]]", "[abc]]", "[de]]"]


@pytest.mark.proves("R-COUNT-ADDITIVE")
def test_a_tokenizer_under_which_counts_do_not_add_up_gets_no_certificate() -> None:
    assert adds_up(BlockCounter(Letters()))
    assert not adds_up(BlockCounter(Pairs()))


@pytest.mark.proves("R-COUNT-ADDITIVE")
@pytest.mark.parametrize("name", ["o200k", "cl100k", "claude", "anthropic/claude-opus-5", "smollm2"])
def test_named_profiles_are_certified(name: str) -> None:
    assert resolve(name, Form.TEXT).additive  # type: ignore[attr-defined]


@pytest.mark.proves("R-COUNT-ADDITIVE", "R-CONTRACT-EXACT")
@pytest.mark.parametrize("name", ["o200k", "cl100k", "claude", "anthropic/claude-opus-5", "smollm2"])
def test_a_text_counts_the_sum_of_its_blocks(name: str) -> None:
    profile = resolve(name, Form.TEXT)
    head, tail = "[Role & Policies]\n\n", "[Output]\n\nAnswer.\n"
    around = profile.count(Prompt(text=head + tail))

    @given(contents=st.lists(texts, max_size=6))
    def add(contents: list[str]) -> None:
        blocks = [block(content) for content in contents]
        whole = profile.count(Prompt(text=head + "".join(blocks) + tail))
        assert whole == around + profile.count_blocks(blocks).sum()

    add()
