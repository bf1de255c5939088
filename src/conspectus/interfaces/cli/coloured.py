"""A page as coloured text for a terminal, folded to its width; the only file that knows rich's shapes."""

import io

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text

from conspectus.interfaces.cli.folding import breaks
from conspectus.interfaces.cli.page import Bar, Cell, Line, Meter, Page, Span, Table, Tone, needed, words

_STYLES = {
    Tone.PLAIN: "",
    Tone.TITLE: "bold",
    Tone.FAINT: "bright_black",
    Tone.NAME: "cyan",
    Tone.NUMBER: "bold",
    Tone.GOOD: "green",
    Tone.CHANGED: "yellow",
    Tone.LOST: "red",
    Tone.WARNING: "bold yellow",
    Tone.COMMAND: "bold cyan",
}
# Ten hues that differ in lightness too, so that neighbours stay apart without colour vision; the last is for free room.
_HUES = (
    "#5b8ff9", "#61ddaa", "#f6bd16", "#8f7cff", "#78d3f8", "#f6903d", "#2fa8a0", "#e8684a", "#b08bbb", "#9aa5b1",
)  # fmt: skip
_TROUGH = "grey23"
_GAP = 2
_SHORTEST_BAR = 8


def console(width: int, *, colour: bool, file: io.StringIO | None = None, record: bool = False) -> Console:
    """A console that writes escape sequences for a terminal of `width` cells, into memory."""
    return Console(
        file=file or io.StringIO(),
        force_terminal=True,
        width=width,
        no_color=not colour,
        record=record,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def write(page: Page, width: int, *, colour: bool) -> str:
    """The page as it is sent to a terminal."""
    memory = io.StringIO()
    render(page, console(width, colour=colour, file=memory))
    return memory.getvalue()


def render(page: Page, target: Console) -> None:
    """Print every block of the page on `target`."""
    for block in page:
        match block:
            case Line():
                text = _Folded(block.spans)
                target.print(Padding(text, (0, 0, 0, block.indent), expand=False) if block.indent else text)
            case Table():
                target.print(Padding(_grid(block, target.width), (0, 0, 0, block.indent), expand=False))
            case Meter():
                target.print(_Stack(block))


def _style(span: Span) -> str:
    return _HUES[span.hue % len(_HUES)] if span.hue >= 0 else _STYLES[span.tone]


def _hue(number: int) -> Style:
    return Style.parse(_HUES[number % len(_HUES)])


def _grid(table: Table, width: int) -> Grid:
    """The table; where it is too narrow for all, the bars go first, then what may fold is folded."""
    held = needed(table)
    room = width - table.indent - sum(_widest(table, index) + _GAP for index in held)
    kept = [index for index in held if not table.columns[index].bar or room >= _SHORTEST_BAR]
    columns = [table.columns[index] for index in kept]
    grid = Grid(
        box=None,
        show_header=any(column.title for column in columns),
        header_style=_STYLES[Tone.FAINT],
        padding=(0, _GAP, 0, 0),
        pad_edge=False,
        expand=any(column.bar for column in columns),
    )
    for column in columns:
        grid.add_column(
            column.title,
            justify="right" if column.right else "left",
            no_wrap=not column.fold,
            overflow="fold",
            ratio=1 if column.bar else None,
        )
    for row in table.rows:
        grid.add_row(*(_cell(row[index]) for index in kept))
    return grid


def _widest(table: Table, index: int) -> int:
    """Cells of a column that is not folded; a bar has none of its own."""
    if table.columns[index].bar:
        return 0
    return max(cell_len(table.columns[index].title), *(cell_len(words(row[index])) for row in table.rows), 0)


def _cell(cell: Cell) -> "_Folded | _Beam":
    if isinstance(cell, Bar):
        return _Beam(cell)
    return _Folded(cell if isinstance(cell, tuple) else (cell,))


class _Folded:
    """Text that is broken by sense where its room is too narrow."""

    def __init__(self, spans: tuple[Span, ...]) -> None:
        self._spans = spans
        self._text = Text.assemble(*((span.text, _style(span)) for span in spans), overflow="fold")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = self._text.divide(breaks((span.text for span in self._spans), options.max_width))
        for text in lines:
            text.rstrip()
            yield text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._text)


class _Beam:
    """One bar over its column, by halves of a cell."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        halves = round(max(0.0, min(1.0, self._bar.share)) * options.max_width * 2)
        if self._bar.share > 0:
            halves = max(halves, 1)
        yield Segment("━" * (halves // 2) + "╸" * (halves % 2), _hue(self._bar.hue))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(4, options.max_width)


class _Stack:
    """Parts side by side on one line, each at least one cell wide."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        for (_, hue), cells in zip(self._meter.parts, _shares(self._meter, width), strict=True):
            yield Segment("█" * cells, _hue(hue))
            width -= cells
        yield Segment("░" * width, Style.parse(_TROUGH))
        yield Segment.line()


def _shares(meter: Meter, width: int) -> list[int]:
    """Cells of each part: by its amount, at least one, together never more than their sum of the width."""
    total = max(meter.total, 1)
    shares = [max(1, round(amount * width / total)) if amount else 0 for amount, _ in meter.parts]
    while sum(shares) > width:
        shares[shares.index(max(shares))] -= 1
    return shares
