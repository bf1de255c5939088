"""The hashed terms are those of the reference, text by text."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conspectus.text.hashed import hashed, term_hash
from conspectus.text.words import terms
from tests.text.strategies import mixed_text, plain_text


@given(st.lists(mixed_text | plain_text, max_size=8), st.integers(1, 80))
def test_every_term_has_the_number_of_the_reference(texts: list[str], size: int) -> None:
    found = hashed(texts, block_characters=size)
    for row, text in enumerate(texts):
        numbers = Counter(found.hashes[found.rows == row].tolist())
        assert numbers == Counter(map(term_hash, terms(text))), repr(text)


def test_different_terms_have_different_numbers() -> None:
    names = [f"{letter}{number}" for letter in "abcdefghij数" for number in range(20_000)]
    assert len(set(map(term_hash, names))) == len(names)
    assert len(np.unique(hashed([" ".join(names)]).hashes)) == len({term for name in names for term in terms(name)})
