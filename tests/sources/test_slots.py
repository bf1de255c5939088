"""Evidence slots are read from a list or an object, of names or of records; a blank or doubled name is refused."""

import json
from pathlib import Path

import pytest

from conspectus.core.call import Slot
from conspectus.errors import InputError
from conspectus.sources.slots import read_slots


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


ENTRIES = [
    "region 地区",
    {"name": "price", "match": "EUR"},
    {"name": "date", "match": ["2026", "June"], "source": "*.md"},
]


@pytest.mark.proves("R-SOURCE-SLOTS")
@pytest.mark.parametrize("whole", [ENTRIES, {"slots": ENTRIES}])
def test_slots_are_read_in_order(whole: object, tmp_path: Path) -> None:
    assert read_slots(written(tmp_path / "slots.json", whole)) == (
        Slot(name="region 地区"),
        Slot(name="price", match=("EUR",)),
        Slot(name="date", match=("2026", "June"), source="*.md"),
    )


@pytest.mark.parametrize("whole", [[], {"slots": []}])
def test_no_slots_are_no_fault(whole: object, tmp_path: Path) -> None:
    assert read_slots(written(tmp_path / "slots.json", whole)) == ()


@pytest.mark.proves("R-SOURCE-SLOTS")
@pytest.mark.parametrize(
    ("whole", "field", "words"),
    [
        (["a", " "], "slots[1].name", "is blank"),
        (["a", {"name": "a"}], "slots[1].name", "first as slots[0]"),
        ([{"name": "a", "match": ["x", ""]}], "slots[0].match", "everything would match"),
        ([{"name": "a", "match": " "}], "slots[0].match", "everything would match"),
        ([7], "[0]", "Expected"),
        ([{"match": "x"}], "[0].name", "missing"),
        ({"slot": []}, "slot", "did you mean `slots`?"),
        ({}, "slots", "missing"),
        ("a", "", "Expected `array`"),
    ],
)
def test_what_is_no_slot_is_named(whole: object, field: str, words: str, tmp_path: Path) -> None:
    path = written(tmp_path / "slots.json", whole)
    with pytest.raises(InputError) as refused:
        read_slots(path)
    assert (refused.value.path, refused.value.field) == (str(path), field)
    assert words in str(refused.value)


@pytest.mark.proves("R-BAD-JSON")
def test_broken_json_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "slots.json"
    path.write_text('[\n"a",\n"b" "c"\n]', encoding="utf-8")
    with pytest.raises(InputError, match="is no JSON") as refused:
        read_slots(path)
    assert refused.value.line == 3
