"""Packing against trying everything, and against its own bound."""

import numpy as np
import pytest

from conspectus.packing.columns import UNBOUNDED, Columns
from conspectus.packing.pack import pack
from tests.packing.instances import instance, is_allowed, optimum, reaches

_SMALL = 2_000


@pytest.mark.proves("R-PACK-OPTIMUM", "R-PACK-BOUND")
def test_small_instances_are_packed_as_well_as_trying_everything_would() -> None:
    """Forms, needs, headings and shares at once; the bound holds for every choice, ours and the best."""
    random = np.random.default_rng(20261201)
    reached: list[float] = []
    for _ in range(_SMALL):
        columns, room = instance(random, candidates=int(random.integers(2, 8)))
        packed = pack(columns, room)
        assert is_allowed(columns, room, packed.chosen)
        assert packed.value == pytest.approx(columns.values[packed.chosen].sum())
        assert packed.bound >= optimum(columns, room, minima=False) - 1e-9
        best = optimum(columns, room, minima=True)
        if reaches(columns, packed.chosen):
            reached.append(packed.value / best if best else 1.0)
        else:
            assert best == 0.0, "a minimum that can be reached was not"
    assert min(reached) >= 0.95
    assert float(np.mean(reached)) >= 0.99


def abundance(rows: int, seed: int) -> Columns:
    """Many candidates of one form, nothing required, one heading."""
    random = np.random.default_rng(seed)
    return Columns(
        values=random.random(rows) ** 3,
        tokens=random.integers(40, 260, rows).astype(np.int64),
        kinds=np.zeros(rows, dtype=np.int64),
        openings=np.zeros((rows, 1), dtype=np.int64),
        required=np.zeros(rows, dtype=np.bool_),
        needs={},
        headings=np.array([7], dtype=np.int64),
        minimum=np.zeros(1, dtype=np.int64),
        maximum=np.full(1, UNBOUNDED, dtype=np.int64),
    )


@pytest.mark.proves("R-PACK-TIGHT")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("room", [8_000, 30_000])
def test_abundant_candidates_use_the_room_to_its_end(room: int, seed: int) -> None:
    packed = pack(abundance(10_000, seed), room)
    assert room - packed.left >= 0.999 * room
    assert packed.value >= 0.999 * packed.bound


@pytest.mark.proves("R-PACK-BOUND")
def test_everything_enters_when_everything_fits() -> None:
    columns = abundance(50, 1)
    room = int(columns.tokens.sum()) + 7
    assert pack(columns, room).chosen.all()
    assert pack(columns, room).price == 0.0
    assert not pack(columns, room - 1).chosen.all()


@pytest.mark.proves("R-PACK-OPTIMUM")
@pytest.mark.parametrize("candidates", [30, 120, 400])
def test_needs_forms_and_shares_are_kept_at_every_size(candidates: int) -> None:
    random = np.random.default_rng(candidates)
    for _ in range(20):
        columns, room = instance(random, candidates=candidates)
        packed = pack(columns, room)
        assert is_allowed(columns, room, packed.chosen)
        assert packed.value <= packed.bound + 1e-9
        assert packed.left == room - _spent(columns, packed.chosen)


def _spent(columns: Columns, chosen: np.ndarray) -> int:
    opened = np.unique(columns.openings[chosen])
    return int(columns.tokens[chosen].sum() + columns.headings[opened].sum())
