"""What `import conspectus` gives: a short frozen list of names; what it loads is checked in test_imports."""

from pathlib import Path

import pytest

import conspectus

FROZEN = Path(__file__).with_name("face.txt")
MAX_NAMES = 25


@pytest.mark.proves("R-HOUSE-FACE")
def test_the_face_is_the_frozen_list() -> None:
    frozen = FROZEN.read_text(encoding="utf-8").split()
    message = f"if the change of the face is meant, make it in {FROZEN.name} too, and say so in changelog.d"
    assert sorted(conspectus.__all__) == frozen, message


@pytest.mark.proves("R-HOUSE-FACE")
def test_the_face_is_small_and_every_name_is_there() -> None:
    assert len(conspectus.__all__) <= MAX_NAMES
    assert len(set(conspectus.__all__)) == len(conspectus.__all__)
    assert [name for name in conspectus.__all__ if not hasattr(conspectus, name)] == []
