"""Pages take the form their stream can show: aligned text in a pipe, colours and bars on a terminal."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from conspectus.interfaces.cli import coloured, plain
from conspectus.interfaces.cli.page import (
    BLANK,
    Bar,
    Column,
    Line,
    Meter,
    Page,
    Table,
    Tone,
    cells,
    line,
    span,
    title,
    visible,
)
from conspectus.interfaces.cli.show import is_terminal

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
WORDS = st.text(st.sampled_from("ab 中文字한글かなé·-_/#"), max_size=30)


def table(*rows: tuple[str, str], bars: bool = False) -> Table:
    columns = (Column(title="name"), Column(title="tokens", right=True), *((Column(bar=True),) if bars else ()))
    made = tuple((span(a, Tone.NAME), span(b), *((Bar(share=0.5),) if bars else ())) for a, b in rows)
    return Table(columns=columns, rows=made)


@pytest.mark.proves("R-DOOR-PLAIN")
def test_plain_text_is_aligned_by_cells_and_holds_neither_colours_nor_bars() -> None:
    page: Page = [
        title("top"),
        BLANK,
        Meter(parts=((5, 0),), total=9),
        BLANK,
        table(("库存", "12"), ("ab", "3,456"), bars=True),
    ]
    assert plain.write(page).splitlines() == ["top", "", "name  tokens", "库存      12", "ab     3,456"]


@pytest.mark.proves("R-DOOR-PLAIN")
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
def test_nothing_of_a_table_is_lost_in_a_pipe(rows: list[tuple[str, str]]) -> None:
    text = plain.write([table(*rows)])
    for name, tokens in rows:
        assert name.rstrip() in text
        assert tokens.strip() in text


@pytest.mark.proves("R-DOOR-PLAIN")
@pytest.mark.parametrize("width", [80, 120])
@given(rows=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
def test_a_terminal_line_never_exceeds_its_width(width: int, rows: list[tuple[str, str]]) -> None:
    page: Page = [line(span("x " * 90)), Meter(parts=((1, 0), (7, 1), (0, 2)), total=9), table(*rows, bars=True)]
    for text in ESCAPES.sub("", coloured.write(page, width, colour=True)).splitlines():
        assert cell_len(text) <= width


def test_no_color_takes_the_colours_and_keeps_the_picture() -> None:
    page: Page = [Meter(parts=((1, 0), (1, 1)), total=4), line(span("bad", Tone.LOST))]
    bare, full = coloured.write(page, 40, colour=False), coloured.write(page, 40, colour=True)
    assert not re.search(r"\x1b\[(3|9)\d", bare)
    assert re.search(r"\x1b\[(3|9)\d", full)
    assert ESCAPES.sub("", bare) == ESCAPES.sub("", full)


def test_a_meter_shows_every_part_that_is_there_and_is_full_at_its_total() -> None:
    text = ESCAPES.sub("", coloured.write([Meter(parts=((1, 0), (10_000, 1)), total=10_001)], 20, colour=True))
    assert text == "█" * 20 + "\n"


@pytest.mark.proves("R-DOOR-PLAIN")
@pytest.mark.parametrize(
    ("terminal", "environment", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": ""}, False),
        (True, {"NO_COLOR": "1"}, True),
    ],
)
def test_who_gets_a_picture(terminal: bool, environment: dict[str, str], expected: bool) -> None:
    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return terminal

    assert is_terminal(Stream(), environment) is expected


@given(st.text())
def test_what_is_shown_steers_no_terminal(text: str) -> None:
    shown = visible(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert visible(shown) == shown


def test_a_name_with_escapes_is_shown_as_written() -> None:
    assert span("file/\x1b[31mred\u202e.py").text == "file/\\u001b[31mred\\u202e.py"


@given(st.text(st.sampled_from("aé中国한かｱＡ…—·ß"), max_size=20))
def test_cells_are_what_a_terminal_uses(text: str) -> None:
    assert cells(text) == cell_len(text)


def test_markup_in_data_is_text() -> None:
    text = ESCAPES.sub("", coloured.write([Line(spans=(span("[bold]x[/bold] :smile:"),))], 80, colour=True))
    assert text == "[bold]x[/bold] :smile:\n"
