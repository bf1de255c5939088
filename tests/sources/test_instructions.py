"""Approved instructions and the question are mandatory, whole, and of their own authority; an empty one is refused."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given

from conspectus.core.call import Caller, Request
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.message import Role
from conspectus.errors import InputError
from conspectus.sources.instructions import Instruction, InstructionSource, RequestSource, read_instructions
from conspectus.text.graphemes import well_formed
from tests.text.strategies import mixed_text

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ACME = Caller(tenant="acme")


def items(source: InstructionSource) -> tuple[ContextItem, ...]:
    return source.gather(Request(question="?"), ACME, NOW).items


@pytest.mark.proves("R-SOURCE-INSTRUCTIONS", "R-STEP-MANDATORY")
def test_an_instruction_is_mandatory_stable_and_of_its_authority() -> None:
    source = InstructionSource(
        [
            Instruction(name="house", text="be exact\n", revision="r7"),
            Instruction(name="law", text="obey 法", authority=Authority.PLATFORM, uri="https://x.test/law"),
        ]
    )
    house, law = items(source)
    assert (house.item_id, house.content, house.source_version) == ("instruction/house", "be exact\n", "r7")
    assert (house.authority, law.authority) == (Authority.APPLICATION, Authority.PLATFORM)
    assert (law.source_uri, house.source_uri) == ("https://x.test/law", "instruction:house")
    for number, item in enumerate((house, law)):
        assert (item.kind, item.role, item.trust, item.tenant) == (
            Kind.INSTRUCTION,
            Role.SYSTEM,
            Trust.TRUSTED,
            "acme",
        )
        assert item.mandatory
        assert item.stable
        assert item.signal("order") == number


@pytest.mark.proves("R-SOURCE-INSTRUCTIONS")
def test_any_change_of_the_set_is_another_revision() -> None:
    one, other = Instruction(name="a", text="x"), Instruction(name="b", text="y")
    sets = [
        [one, other],
        [other, one],
        [one],
        [one, Instruction(name="b", text="z")],
        [one, Instruction(name="b", text="y", authority=Authority.PLATFORM)],
        [one, Instruction(name="b", text="y", revision="2")],
    ]
    assert len({InstructionSource(each).revision for each in sets}) == len(sets)
    assert InstructionSource([one, other]).revision == InstructionSource([one, other]).revision


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ([Instruction(name="a", text="x"), Instruction(name="a", text="y")], "name"),
        ([Instruction(name="a", text="x", authority=Authority.USER)], "authority"),
        ([Instruction(name="a", text="x", authority=Authority.DATA)], "authority"),
        ([Instruction(name="a", text=" \n")], ""),
    ],
)
def test_what_is_no_instruction_is_refused(wrong: list[Instruction], field: str) -> None:
    with pytest.raises(InputError) as refused:
        InstructionSource(wrong)
    assert (refused.value.path, refused.value.field) == ("a", field)


@pytest.mark.proves("R-SOURCE-INSTRUCTIONS", "R-BAD-BOM", "R-BAD-CRLF")
def test_files_keep_their_text_and_order(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n\r\n")
    (tmp_path / "a.md").write_text("  规则\n", encoding="utf-8")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text("third", encoding="utf-8")
    read = items(read_instructions([tmp_path / "b.md", tmp_path / "a.md", tmp_path / "deep" / "a.md"]))
    assert [item.content for item in read] == ["one\r\ntwo", "  规则", "third"]
    assert [item.item_id for item in read[:2]] == ["instruction/b.md", "instruction/a.md"]
    assert read[2].item_id.endswith("/deep/a.md")


def test_files_that_are_no_instructions_are_refused(tmp_path: Path) -> None:
    good, empty, large = tmp_path / "good", tmp_path / "empty", tmp_path / "large"
    good.write_text("x", encoding="utf-8")
    empty.write_text(" \n", encoding="utf-8")
    large.write_bytes(b"x" * (1024 * 1024 + 1))
    for paths, words in (
        ([good, good], "given twice"),
        ([empty], "is empty"),
        ([large], "at most 1,048,576 are read"),
        ([good, tmp_path / "absent"], "cannot be read"),
        ([tmp_path], "cannot be read"),
    ):
        with pytest.raises(InputError, match=words):
            read_instructions(paths)


def test_no_instructions_are_no_fault() -> None:
    assert items(read_instructions([])) == ()


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m"])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="printable"):
        items(InstructionSource([Instruction(name=name, text="x")]))


@pytest.mark.proves("R-STEP-MANDATORY", "R-BAD-QUESTION")
@given(mixed_text)
def test_the_question_is_one_mandatory_item_unchanged_or_refused(question: str) -> None:
    def ask() -> tuple[ContextItem, ...]:
        return RequestSource().gather(Request(question=question), ACME, NOW).items

    fault = "not UTF-8" if well_formed(question) != question else "" if question.strip() else "ask something"
    if fault:
        with pytest.raises(InputError, match=fault):
            ask()
        return
    (item,) = ask()
    assert (item.content, item.kind, item.authority) == (question, Kind.REQUEST, Authority.USER)
    assert item.mandatory
    assert item.tenant == "acme"
