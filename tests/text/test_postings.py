"""The vectorised counts equal the reference, text by text and term by term."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.text import characters
from conspectus.text.postings import match
from conspectus.text.words import terms
from tests.text.strategies import mixed_text, pieces, plain_text

texts_and_queries = st.tuples(
    st.lists(mixed_text | plain_text, max_size=8),
    st.lists(pieces.map(lambda text: (terms(text) or [text])[-1]), max_size=8),
)


def assert_parity(texts: list[str], query: list[str]) -> None:
    matches = match(texts, query)
    assert matches.terms == tuple(query)
    assert matches.tf.shape == (len(texts), len(query))
    for row, text in enumerate(texts):
        found = Counter(terms(text))
        assert matches.lengths[row] == found.total(), repr(text)
        assert matches.tf[row].tolist() == [found[term] for term in query], repr(text)


@given(texts_and_queries)
def test_parity_on_mixed_text(case: tuple[list[str], list[str]]) -> None:
    texts, query = case
    assert_parity(texts, query)
    every_term = sorted({term for text in texts for term in terms(text)})
    assert_parity(texts, every_term)


@given(st.lists(mixed_text | plain_text, min_size=1, max_size=6), st.integers(1, 40))
def test_parity_when_texts_are_spread_over_blocks(texts: list[str], size: int) -> None:
    query = sorted({term for text in texts for term in terms(text)})
    whole = match(texts, query)
    spread = match(texts, query, block_characters=size)
    assert np.array_equal(whole.tf, spread.tf)
    assert np.array_equal(whole.lengths, spread.lengths)


@pytest.mark.parametrize("text", ["getUserName HTTPServer ", "v2__x_y 字数据库A字 ", "ABCdef1", "数据库是"])
def test_parity_across_the_strips_of_a_block(text: str) -> None:
    """A strip is 65,536 characters: every place of the text comes to stand at an end of one."""
    long = [" " * shift + text * (70_000 // len(text)) for shift in range(len(text))]
    assert_parity(long, sorted(set(terms(text * 2)))[:40])


def test_parity_on_every_code_point() -> None:
    """Each code point alone and between letters, digits, underscores and characters of other kinds."""
    frames = ["{}", "aB{}Cd", "1{}2", "_{}_", "字{}字"]
    planes = [
        (0, 0x3500),
        (0xA000, 0xAC40),
        (0xD780, 0xE010),
        (0xF8F0, 0x10400),
        (0x1D400, 0x1D500),
        (0x1F100, 0x1FA00),
    ]
    texts = [
        "\n".join(frame.format(chr(code)) for code in range(start, start + 16))
        for first, last in planes
        for start in range(first, last, 16)
        for frame in frames
    ]
    assert_parity(texts, ["ab", "cd", "abcd", "a", "b", "1", "2", "12", "字", "字字", "c", "d", "i", "e"])


@pytest.mark.parametrize(
    "query", ["foo bar", "_x", "x_", "", " ", "FOO", "ab字", "数据库", "e\u0301", "foo\nbar", "\ud800", "foo-bar"]
)
def test_what_is_no_term_counts_nothing(query: str) -> None:
    texts = ["foo bar _x x_ FOO ab字 数据库 foo-bar foo\nbar e\u0301"]
    assert match(texts, [query]).tf.tolist() == [[0]]


def test_only_texts_that_need_the_reference_are_sent_to_it() -> None:
    texts = ["plain", "数据库 is café, naïve … 第３章", "e\u0301", "हिन्दी", "ｶﾞ"]
    irregular = {row for block in characters.scan(texts) for row in block.irregular.tolist()}
    assert irregular == {2, 3, 4}


def test_repeated_query_terms_have_equal_columns() -> None:
    assert match(["a b a"], ["a", "b", "a"]).tf.tolist() == [[2, 1, 2]]


def test_nothing_to_count() -> None:
    assert match([], ["a"]).tf.shape == (0, 1)
    assert match(["a"], []).lengths.tolist() == [1]
    assert match(["", ""], ["a"]).tf.tolist() == [[0], [0]]


def test_a_long_text_counts_as_one() -> None:
    text = "def run(self):\n    return 数据库\n" * 90_000
    matches = match([text, "self"], ["self", "return", "数据", "字"])
    assert matches.tf.tolist() == [[90_000, 90_000, 90_000, 0], [1, 0, 0, 0]]
    assert matches.lengths.tolist() == [90_000 * 6, 1]
