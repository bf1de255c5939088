"""The bench measures what it promises, shown by running each section over little; it judges no speed."""

from collections.abc import Sequence
from types import ModuleType

import pytest

from bench import composing, counting, selecting, starting
from bench.__main__ import SECTIONS
from bench.figures import Cell, Table

SIZES = (100, 1_000, 10_000, 100_000)
BUDGETS = (8_000, 100_000)


def positive(cells: Sequence[Cell]) -> bool:
    """Whether there are figures, and each says something; a stage may take less than the clock can tell."""
    figures = [cell for cell in cells if isinstance(cell, int | float)]
    return bool(figures) and all(figure >= 0 for figure in figures) and any(figure > 0 for figure in figures)


def measured(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> tuple[Table, ...]:
    """The tables of one section at its smallest size."""
    assert module.SIZES == SIZES, "the sizes of a real run"
    monkeypatch.setattr(module, "SIZES", SIZES[:1])
    tables: tuple[Table, ...] = module.measure(quick=True)
    assert [row.cells for table in tables for row in table.rows if not positive(row.cells)] == []
    return tables


@pytest.mark.proves("R-SHOW-SPEED")
@pytest.mark.parametrize(
    ("section", "module", "columns", "rows"),
    [
        ("select", selecting, {"select, ms", "yardstick, ms", "ratio"}, len(BUDGETS)),
        ("compose", composing, {"CPU, ms", "growth", "memory, MB", "payload tokens"}, len(BUDGETS)),
        ("count", counting, {"cold, ms", "bare, ms", "ratio"}, 1),
    ],
)
def test_choosing_composing_counting_and_memory_are_measured(
    section: str, module: ModuleType, columns: set[str], rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SECTIONS[section] == module.measure
    table, *_ = measured(module, monkeypatch)
    assert columns <= set(table.columns)
    assert len(table.rows) == rows
    assert table.goal


@pytest.mark.proves("R-SHOW-SPEED")
def test_the_import_and_the_command_are_measured_cold_and_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SECTIONS["start"] == starting.measure
    assert (starting.FILES, starting.IMPORT, starting.COLD, starting.WARM) == (500, 0.3, 2.0, 0.6)
    monkeypatch.setattr(starting, "FILES", 2)
    (table,) = starting.measure(quick=True)
    what = [str(row.cells[0]) for row in table.rows]
    assert what[0] == "import conspectus"
    assert [name.rpartition(", ")[2] for name in what[1:]] == ["cold", "warm"]
    for row in table.rows:
        assert positive(row.cells[1:3])
        assert row.met is not None
