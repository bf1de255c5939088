"""A text that is too wide is broken by sense: what a line can hold stays whole."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from conspectus.interfaces.cli.folding import breaks

PARTS = st.lists(st.text(st.sampled_from("ab /#_-.，中文字é👍🏽"), max_size=30), max_size=6)


def folded(width: int, *parts: str) -> list[str]:
    text = "".join(parts)
    places = [0, *breaks(parts, width), len(text)]
    return [text[start:end].rstrip() for start, end in pairwise(places)]


@given(PARTS, st.integers(2, 40))
def test_nothing_is_lost_and_no_line_is_too_wide(parts: list[str], width: int) -> None:
    text = "".join(parts)
    places = [0, *breaks(parts, width), len(text)]
    assert places == sorted(places)
    assert all(cell_len(text[start:end].rstrip()) <= width for start, end in pairwise(places))


@given(PARTS)
def test_what_fits_is_not_broken(parts: list[str]) -> None:
    assert breaks(parts, max(cell_len("".join(parts)), 1)) == []


@pytest.mark.parametrize(
    ("width", "parts", "lines"),
    [
        (24, ("3 budget_exceeded, ", "1 near_duplicate"), ["3 budget_exceeded,", "1 near_duplicate"]),
        (20, ("file/src/shop/http.py#L10-42",), ["file/src/shop/", "http.py#L10-42"]),
        (14, ("file/src/shop/client.py#L10-42",), ["file/src/shop/", "client.py", "#L10-42"]),
        (16, ("file/docs/0003-only-contenders-are.md",), ["file/docs/0003-", "only-contenders-", "are.md"]),
        (8, ("abcdefghijkl",), ["abcdefgh", "ijkl"]),
        (10, ("one two three", " four"), ["one two", "three four"]),
        (8, ("退货期限，三十天",), ["退货期", "限，三十", "天"]),
        (8, ("ab 退货期限",), ["ab 退货", "期限"]),
    ],
)
def test_where_a_text_is_broken(width: int, parts: tuple[str, ...], lines: list[str]) -> None:
    assert folded(width, *parts) == lines
