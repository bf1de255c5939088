"""Demands and tests name each other: no test claims an id that does not exist, and no demand goes unproved."""

from pathlib import Path

import pytest

from tests import requirements

# The other direction is switched on by making this True.
EVERY_DEMAND_IS_PROVED = True


def test_every_named_id_exists() -> None:
    unknown = {
        name: modules for name, modules in requirements.claimed().items() if name not in requirements.REQUIREMENTS
    }
    assert unknown == {}, "add the demand to tests/requirements.py, or correct the id"


@pytest.mark.skipif(not EVERY_DEMAND_IS_PROVED, reason="the product is being built: python -m tests.requirements")
def test_every_demand_is_proved() -> None:
    assert requirements.unproved() == []


def test_every_demand_has_one_id_and_says_something() -> None:
    assert len(requirements.REQUIREMENTS) == sum(len(section) for section in requirements.SECTIONS)
    assert [name for name, text in requirements.REQUIREMENTS.items() if not text.endswith(".")] == []


def test_claims_are_found_wherever_a_mark_stands(tmp_path: Path) -> None:
    marks = (
        'pytestmark = pytest.mark.proves("R-A")\n'
        '@pytest.mark.proves("R-B", "R-C")\ndef test_one(): ...\n'
        '@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.proves("R-D"))])\ndef test_two(x): ...\n'
    )
    (tmp_path / "test_planted.py").write_text(marks, encoding="utf-8")
    assert requirements.claimed(tmp_path) == {name: ["test_planted.py"] for name in ("R-A", "R-B", "R-C", "R-D")}


def test_a_claim_that_cannot_be_found_is_refused() -> None:
    with pytest.raises(ValueError, match="line 1"):
        list(requirements.claims("pytest.mark.proves(NAME)"))
