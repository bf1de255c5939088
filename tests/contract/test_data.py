"""Whatever data says, it stays data: no structure of a template, of our fence or of our headings comes from it."""

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from conspectus.assembly.assemble import Assembly
from conspectus.assembly.fence import escape_points, neutralise, parse, restore, source_of
from conspectus.assembly.layout import SECTIONS
from conspectus.core.call import Form
from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import ItemRecord, Stage
from conspectus.core.message import Role, ToolCallPart
from conspectus.text.sanitize import sanitize
from tests.contract.cases import Case, assembled, cases, same_cases
from tests.contract.parts import CONTROL_STRINGS, rendered
from tests.contract.texts import HOSTILE, WORDS

UNSEEN = regex.compile(r"[\p{Cc}--[\n\t]]|[\u202a-\u202e\u2066-\u2069]|[\U000e0000-\U000e007f]", regex.VERSION1)


def written(assembly: Assembly) -> str:
    """All text of the payload, as one."""
    prompt = assembly.payload.prompt
    return prompt.text or "\n".join(message.text for message in prompt.messages)


def quoted_records(case: Case, assembly: Assembly) -> list[ItemRecord]:
    """Records of items that stand in the payload as blocks of text; turns no provider would take are among them."""
    by_id = {item.item_id: item for item in case.items}
    if case.profile.form is Form.TEXT:
        return list(assembly.manifest.items)
    chosen_from = {d.subject for d in assembly.manifest.decisions if d.stage in (Stage.SELECT, Stage.REDUCE)}
    has_tools = any(by_id[name].kind is Kind.TOOL_SCHEMA for name in chosen_from)
    takes_calls = has_tools or case.profile.form is not Form.ANTHROPIC
    native = {item.item_id for item in case.items if item.messages and (takes_calls or not calls(item))}
    return [r for r in assembly.manifest.items if r.id not in native and r.kind != "tool_schema"]


def calls(item: ContextItem) -> list[ToolCallPart]:
    """The tool calls in the turns of an item."""
    return [part for message in item.messages for part in message.parts if isinstance(part, ToolCallPart)]


@pytest.mark.proves("R-CONTRACT-DATA", "R-COUNT-CONTROL", "R-CASE-D01", "R-CASE-D04", "R-CASE-D05", "R-CASE-D10")
@same_cases
@given(case=cases())
def test_data_makes_no_role_boundary(case: Case) -> None:
    assembly = assembled(case)
    turns = len(assembly.payload.prompt.messages)
    text = rendered(assembly.payload.prompt) if turns else assembly.payload.body
    for control in CONTROL_STRINGS:
        ours = turns if control in ("<|im_start|>", "<|im_end|>") else 0
        assert text.count(control) == ours, control


@pytest.mark.proves("R-CONTRACT-DATA", "R-REF-FORGED-HEADINGS")
@same_cases
@given(case=cases())
def test_data_makes_no_heading(case: Case) -> None:
    text = written(assembled(case))
    found = [heading for heading in re.findall(r"\[([^\]\n]+)\]", text) if heading in {s.value for s in SECTIONS}]
    assert len(found) == len(set(found))
    assert found == [section.value for section in SECTIONS if section.value in found]
    assert text.count("[Data]") == 1
    absent = [slot for slot in assembled(case).manifest.slots if not slot.filled_by]
    assert text.count("[Missing evidence]") == len(absent)


@pytest.mark.proves("R-CONTRACT-PARSE", "R-CONTRACT-FENCE", "R-CASE-D02", "R-CASE-D03", "R-CASE-D09", "R-CASE-D11")
@same_cases
@given(case=cases())
def test_what_was_written_is_read_back(case: Case) -> None:
    assembly = assembled(case)
    by_id = {item.item_id: item for item in case.items}
    framed = parse(written(assembly))
    records = quoted_records(case, assembly)
    assert [one.item_id for one in framed] == [record.id for record in records]
    for one, record in zip(framed, records, strict=True):
        item = by_id[record.id]
        assert (one.kind, one.source_version) == (item.kind, item.source_version)
        assert one.source_uri == (item.source_uri or source_of(item.item_id))
        if any(link.step in ("shorten", "names") for link in record.transformations):
            assert one.content != item.content
        else:
            assert one.content == sanitize(item.content).text
        if one.content != item.content:
            assert record.transformations


@pytest.mark.proves("R-CONTRACT-FENCE", "R-CASE-D12")
@given(
    pieces=st.lists(
        st.one_of(st.sampled_from(HOSTILE + WORDS), st.text(alphabet="<|>[]/datim_ \n␛", max_size=8)), max_size=6
    )
)
def test_neutralising_twice_is_neutralising_once_and_is_undone(pieces: list[str]) -> None:
    points = escape_points(CONTROL_STRINGS)
    text = sanitize("".join(pieces)).text
    once = neutralise(text, points)
    assert neutralise(once, points) == once
    assert restore(once) == text
    assert not any(control in once for control in CONTROL_STRINGS)


@pytest.mark.proves("R-CASE-D06", "R-CASE-D07", "R-CASE-D08", "R-CASE-D16")
@same_cases
@given(case=cases())
def test_nothing_unseen_that_steers_leaves(case: Case) -> None:
    assembly = assembled(case)
    text = rendered(assembly.payload.prompt) if assembly.payload.prompt.messages else assembly.payload.body
    assert not UNSEEN.search(text)
    noted = {decision.subject for decision in assembly.manifest.decisions if decision.reason == "sanitized"}
    for record in assembly.manifest.items:
        if any(link.step == "sanitize" for link in record.transformations):
            assert record.id in noted


@pytest.mark.proves("R-CONTRACT-GRAPHEME")
@same_cases
@given(case=cases())
def test_the_payload_is_utf8_and_no_cut_is_inside_a_grapheme(case: Case) -> None:
    assembly = assembled(case)
    assert assembly.payload.body.encode().decode() == assembly.payload.body
    by_id = {item.item_id: item for item in case.items}
    for one in parse(written(assembly)):
        cut = re.match(r"\[shortened: [\d,]+ of [\d,]+ [^\n]*\]\n(.*)\n\[…\]\n(.*)\Z", one.content, re.DOTALL)
        if cut:
            whole = sanitize(by_id[one.item_id].content).text
            boundaries = {0, len(whole), *(found.end() for found in regex.finditer(r"\X", whole))}
            assert whole.startswith(cut[1])
            assert whole.endswith(cut[2])
            assert {len(cut[1]), len(whole) - len(cut[2])} <= boundaries


@pytest.mark.proves("R-VALUE-AUTHORITY", "R-REF-FORGED-HEADINGS")
@same_cases
@given(case=cases())
def test_only_what_may_set_policy_stands_in_the_system_turn(case: Case) -> None:
    assembly = assembled(case)
    policies = {record.id for record in assembly.manifest.items if record.authority in ("application", "platform")}
    for one in parse(written(assembly)):
        if one.tag == "instruction":
            assert one.item_id in policies
    system = [message for message in assembly.payload.prompt.messages if message.role is Role.SYSTEM]
    assert len(system) == (0 if case.profile.form is Form.TEXT else 1)
    for message in system:
        assert {one.item_id for one in parse(message.text)} <= policies
