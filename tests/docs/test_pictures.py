"""The pictures are of this program, small, and load nothing from anywhere; what they show is not compared."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from docs import pictures
from tests.docs.test_pages import ROOT, read

NAMES = ("assemble", "diff", "why")
LARGEST = 150_000


def texts(svg: str) -> str:
    """What a picture says, its hard spaces as spaces."""
    return "".join(ET.fromstring(svg).itertext()).replace("\xa0", " ")


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_and_stands_alone(name: str) -> None:
    path = ROOT / "docs" / "pictures" / f"{name}.svg"
    svg = path.read_text(encoding="utf-8")
    assert len(svg.encode()) < LARGEST
    assert f"conspectus {name}" in texts(svg)
    assert "url(http" not in svg
    assert "@font-face" not in svg
    assert str(Path.home()) not in svg
    assert str(ROOT) not in svg
    assert f"pictures/{name}.svg" in read("docs/cli.md")


def test_pictures_are_drawn_from_what_the_commands_show() -> None:
    pages = pictures.pages()
    assert {*NAMES} <= pages.keys()
    drawn = {name: texts(pictures.drawn(page, name, 80)) for name, page in pages.items()}
    assert "Evidence" in drawn["assemble"]
    assert "omitted" in drawn["why"]
    assert "entered" in drawn["diff"]
