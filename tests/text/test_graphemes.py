"""Cuts keep clusters whole, encode as UTF-8, and cost what lies around them."""

import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from conspectus.text.graphemes import cut_head, cut_tail, is_boundary, split_at, well_formed
from tests.text.strategies import mixed_text

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
CLUSTERS = [
    FAMILY,
    "🇩🇪",
    "👍🏽",
    "1\ufe0f\u20e3",
    "e\u0301\u0327",
    "\u1112\u1161\u11ab",
    "क्षि",
    "\r\n",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
]


def boundaries(text: str) -> set[int]:
    """Every boundary of the whole text, read from its start: the slow truth."""
    return {0, len(text)} | {match.end() for match in regex.finditer(r"\X", text)}


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("around", ["a", "字", "\n", "🇫🇷", FAMILY, "각"])
def test_no_cut_falls_inside_a_cluster(cluster: str, around: str) -> None:
    text = around + cluster + around
    for limit in range(len(text) + 1):
        head, tail = cut_head(text, limit), cut_tail(text, limit)
        assert len(head) in boundaries(text)
        assert len(text) - len(tail) in boundaries(text)


def test_a_cluster_longer_than_the_limit_is_left_out() -> None:
    assert cut_head(FAMILY + "a", 3) == ""
    assert cut_tail("a" + FAMILY, 3) == ""
    assert cut_head("ab", 0) == cut_tail("ab", 0) == cut_head("ab", -1) == cut_tail("ab", -1) == ""


@given(mixed_text)
def test_boundaries_are_those_of_the_whole_text(text: str) -> None:
    truth = boundaries(text)
    assert {index for index in range(len(text) + 1) if is_boundary(text, index)} == truth


@pytest.mark.proves("R-CONTRACT-GRAPHEME")
@given(mixed_text, st.integers(-1, 80))
def test_cuts_are_as_long_as_they_may_be(text: str, limit: int) -> None:
    truth = boundaries(text)
    head, tail = cut_head(text, limit), cut_tail(text, limit)
    assert len(head) == max((place for place in truth if place <= limit), default=0)
    assert len(tail) == max((len(text) - place for place in truth if len(text) - place <= limit), default=0)
    assert well_formed(text).startswith(head)
    assert well_formed(text).endswith(tail)


@given(mixed_text, st.lists(st.integers(-2, 90), max_size=12))
def test_parts_are_whole_and_together_the_text(text: str, positions: list[int]) -> None:
    parts = split_at(text, positions)
    assert "".join(parts) == well_formed(text)
    assert "" not in parts
    assert len(parts) <= len(positions) + 1
    place = 0
    for part in parts:
        assert place in boundaries(text)
        place += len(part)


@pytest.mark.proves("R-CONTRACT-GRAPHEME")
@given(mixed_text, st.integers(0, 40))
def test_whatever_comes_out_encodes(text: str, limit: int) -> None:
    for part in (well_formed(text), cut_head(text, limit), cut_tail(text, limit), *split_at(text, [limit])):
        part.encode("utf-8")


def test_lone_surrogates_become_replacement_characters() -> None:
    assert well_formed("a\ud83db\udc00") == "a\ufffdb\ufffd"
    clean = "字 🇩🇪"
    assert well_formed(clean) is clean


LONG_LINES = {
    "letters": "a" * 1_000_000,
    "characters": "字" * 1_000_000,
    "line ends": "\r\n" * 500_000,
    "flags": "🇩🇪" * 500_000,
    "families": "👩\u200d" * 500_000,
    "marks": "\u0301" * 1_000_000,
    "jamo": "\u1100" * 1_000_000,
}


@pytest.mark.parametrize("name", LONG_LINES)
def test_a_line_of_a_megabyte_costs_no_square(name: str) -> None:
    text = LONG_LINES[name]
    begun = time.process_time()
    cut_head(text, 500_001)
    cut_tail(text, 400_001)
    split_at(text, range(0, len(text), 5_000))
    assert time.process_time() - begun < 10
