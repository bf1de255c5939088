"""Measured figures as tables: on a terminal, in Markdown and as JSON; it measures nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

Cell: TypeAlias = str | int | float | None
_MET = {True: "met", False: "MISSED", None: ""}
_STYLES = {True: "green", False: "bold red", None: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured case; `met` is whether its goal was, None where it has none."""

    cells: tuple[Cell, ...]
    met: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Figures of one kind: `about` says what was measured and how, `goal` what is aimed at."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    goal: str = ""

    @property
    def judged(self) -> bool:
        """Whether any row has a goal."""
        return any(row.met is not None for row in self.rows)


def shown(cell: Cell) -> str:
    """A figure with three significant digits, thousands apart."""
    match cell:
        case None:
            return "–"
        case bool() | str():
            return str(cell)
        case int():
            return f"{cell:,}"
        case float() if cell != 0.0 and abs(cell) < 0.001:
            return f"{cell:.1e}"
        case float():
            digits = 0 if abs(cell) >= 100 else 1 if abs(cell) >= 10 else 2 if abs(cell) >= 1 else 3
            return f"{cell:,.{digits}f}"


def print_table(table: Table, console: Console) -> None:
    """Show the table on a terminal."""
    grid = Grid(
        title=escape(table.title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for number, column in enumerate(table.columns):
        grid.add_column(escape(column), justify="left" if number == 0 else "right", overflow="fold")
    if table.judged:
        grid.add_column("goal")
    for row in table.rows:
        cells = [escape(shown(cell)) for cell in row.cells]
        grid.add_row(
            *cells, *([f"[{_STYLES[row.met]}]{_MET[row.met]}[/]" if row.met is not None else ""] * table.judged)
        )
    console.print(grid)
    console.print(
        f"{table.about}{f' Goal: {table.goal}.' if table.goal else ''}\n", style="dim", highlight=False, markup=False
    )


def markdown(table: Table) -> str:
    """The table as Markdown."""
    columns = (*table.columns, "goal") if table.judged else table.columns
    lines = [
        f"## {table.title}",
        "",
        f"{table.about}{f' **Goal: {table.goal}.**' if table.goal else ''}",
        "",
        _line(columns),
        _line(["---", *["---:"] * (len(columns) - 1)]),
    ]
    for row in table.rows:
        cells = [shown(cell).replace("|", "\\|") for cell in row.cells]
        lines.append(_line([*cells, *([_MET[row.met]] * table.judged)]))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
