"""Forms of one word meet; other scripts, numbers and identifiers stay as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.text.stems import forms, stem

FAMILIES = (
    "hike hikes hiked hiking",
    "activity activities",
    "run runs running",
    "play plays played playing",
    "study studies studying",
    "paint paints painted painting",
    "process processes processed processing",
    "policy policies",
    "set sets setting",
)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_forms_of_a_word_have_one_stem_and_find_each_other(family: str) -> None:
    words = family.split()
    assert len({stem(word) for word in words}) == 1
    for word in words:
        assert set(words) <= set(forms(word))


@pytest.mark.parametrize("term", ["重试", "get_user_name", "v2", "2024", "as", "café", "status", "class"])
def test_what_is_no_english_word_stays(term: str) -> None:
    assert stem(term) == term


@given(st.text("abcdefgilnsyedt", min_size=1, max_size=9))
def test_every_form_has_the_stem_it_stands_for(term: str) -> None:
    assert forms(term)[0] == term
    assert {stem(form) for form in forms(term)} == {stem(term)}
