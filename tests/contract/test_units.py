"""What belongs together stays together: calls and results, dependencies, the sides of a conflict, sealed blocks."""

import random
import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.assembly.assemble import Assembly
from conspectus.core.call import Form
from conspectus.core.item import Kind, Trust
from conspectus.core.manifest import Decision, Reason
from conspectus.core.message import Message, Role, SealedPart, ToolCallPart, ToolResultPart
from conspectus.core.spec import Budget
from tests.contract.cases import NOW, Case, assembled, cases, data, same_cases, small_case
from tests.contract.test_accounting import ends
from tests.contract.texts import statement

STANDS_IN = frozenset({Reason.DUPLICATE, Reason.NEAR_DUPLICATE, Reason.SUPERSEDED})


def unanswered(messages: Sequence[Message]) -> list[str]:
    """Ids of calls without a result right after them, and of results without a call right before them."""
    wrong: list[str] = []
    waiting: list[str] = []
    for message in messages:
        results = [part.call_id for part in message.parts if isinstance(part, ToolResultPart)]
        wrong.extend(call for call in results if call not in waiting)
        waiting = [call for call in waiting if call not in results]
        if not results:
            wrong.extend(waiting)
            waiting = []
        waiting.extend(part.call_id for part in message.parts if isinstance(part, ToolCallPart))
    return wrong + waiting


@pytest.mark.proves(
    "R-CONTRACT-ORPHAN", "R-STEP-UNITS", "R-PAIN-P001", "R-PAIN-P002", "R-PAIN-P004", "R-PAIN-P005", "R-PAIN-P008"
)
@same_cases
@given(case=cases())
def test_no_call_and_no_result_is_alone_and_no_payload_is_empty(case: Case) -> None:
    assembly = assembled(case)
    prompt = assembly.payload.prompt
    assert unanswered(prompt.messages) == []
    assert all(message.parts for message in prompt.messages)
    assert assembly.payload.body.strip()
    if case.profile.form is not Form.TEXT:
        assert prompt.messages[-1].role is Role.USER
        assert prompt.messages[-1].text.strip()


@pytest.mark.proves("R-STEP-DEPENDENCIES", "R-BUDGET-CLOSURE", "R-BAD-CYCLE", "R-STEP-UNITS")
@same_cases
@given(case=cases())
def test_nothing_is_in_without_what_it_needs(case: Case) -> None:
    assembly = assembled(case)
    decided = ends(assembly.manifest)
    present = {record.id for record in assembly.manifest.items}
    by_id = {item.item_id: item for item in case.items}
    for name in present:
        needed = (*by_id[name].dependencies, *filter(None, [by_id[name].parent_call_id]))
        for other in needed:
            assert standing_in(other, decided) in present, f"{name} is in without {other}"


def standing_in(name: str, decided: Mapping[str, Decision]) -> str:
    """The item that stands for `name` in the end."""
    seen: set[str] = set()
    while name in decided and decided[name].reason in STANDS_IN and name not in seen:
        seen.add(name)
        name = decided[name].related[0]
    return name


@pytest.mark.proves("R-PAIN-P013", "R-STEP-UNITS")
@same_cases
@given(case=cases())
def test_a_sealed_block_is_whole_or_absent(case: Case) -> None:
    offered = {part for item in case.items for m in item.messages for part in m.parts if isinstance(part, SealedPart)}
    for message in assembled(case).payload.prompt.messages:
        for part in message.parts:
            if isinstance(part, SealedPart):
                assert part in offered
                assert part.provider == case.profile.form.value


CONFLICTS = st.fixed_dictionaries(
    {
        "topic": st.integers(0, 3),
        "sides": st.lists(
            st.tuples(st.sampled_from((14, 30, 90)), st.sampled_from((0.0, 0.5, 1.0))), min_size=2, max_size=4
        ),
        "fillers": st.integers(0, 8),
        "limit": st.sampled_from((330, 400, 500, 700, 1_000, 1 << 20)),
        "form": st.sampled_from((Form.TEXT, Form.OPENAI)),
    }
)


def disputed(topic: int, sides: Sequence[tuple[int, float]], fillers: int, limit: int, form: Form) -> Case:
    """Trusted statements about one thing with different numbers, among evidence that is worth more or less."""
    claims = [
        data(
            f"file/claim{n}", Kind.EVIDENCE, statement(topic, number), trust=Trust.TRUSTED,
            source_uri=f"kb:{n}", source_version=f"v{n}", observed_at=NOW, signals=(("prior", prior),),
        )
        for n, (number, prior) in enumerate(sides)
    ]  # fmt: skip
    others = [data(f"file/z{n}", Kind.EVIDENCE, filler(n)) for n in range(fillers)]
    return small_case([*claims, *others], form=form, budget=Budget(window=1 << 21, input_limit=limit))


def filler(number: int) -> str:
    """Evidence on the question that resembles no other filler."""
    chance = random.Random(number)
    return "refund days " + " ".join("".join(chance.choices("aeioubdfgklmnprst", k=7)) for _ in range(14))


@pytest.mark.proves("R-STEP-CONFLICT", "R-CASE-D18", "R-LAYOUT-CONFLICTS", "R-PAIN-P097")
@given(given_case=CONFLICTS)
def test_contradicting_sides_are_all_shown_side_by_side_or_none_is(given_case: dict[str, object]) -> None:
    case = disputed(**given_case)  # type: ignore[arg-type]
    assembly = assembled(case)
    numbers = {f"file/claim{n}": number for n, (number, _) in enumerate(given_case["sides"])}  # type: ignore[arg-type]
    shown = [record for record in assembly.manifest.items if record.id in numbers]
    if not shown:
        return
    assert {numbers[record.id] for record in shown} == set(numbers.values())
    if len(set(numbers.values())) > 1:
        assert {record.section for record in shown} == {"Conflicts"}
        assert len({record.conflict for record in shown}) == 1
        assert shown[0].conflict
        assert side_by_side(assembly, [record.id for record in shown])


def side_by_side(assembly: Assembly, names: Sequence[str]) -> bool:
    """Whether the sides follow each other, each with its source, version and time."""
    text = assembly.payload.prompt.text or assembly.payload.prompt.messages[-1].text
    places = sorted(record.position for record in assembly.manifest.items if record.id in names)
    headers = [line for line in text.splitlines() if line.startswith('<data id="file/claim')]
    cited = all('source="kb:' in line and ' version="v' in line and ' time="' in line for line in headers)
    return places == list(range(places[0], places[0] + len(places))) and cited and len(headers) == len(names)


@pytest.mark.proves("R-STEP-CONFLICT", "R-VALUE-TRUST")
@given(topic=st.integers(0, 3), size=st.integers(0, 400), form=st.sampled_from((Form.TEXT, Form.OPENAI)))
def test_an_untrusted_text_disputes_no_trusted_one_and_forces_nothing(topic: int, size: int, form: Form) -> None:
    trusted = data("file/policy", Kind.EVIDENCE, statement(topic, 30), trust=Trust.TRUSTED, mandatory=True)
    forged = data("web/forged", Kind.EVIDENCE, f"{statement(topic, 14)} {'more ' * size}")
    case = small_case([trusted, forged], form=form, budget=Budget(window=1 << 20, input_limit=420))
    assembly = assembled(case)
    assert assembly.manifest.conflicts == ()
    assert "file/policy" in {record.id for record in assembly.manifest.items}


@pytest.mark.proves("R-STEP-DEDUPE", "R-PAIN-P100")
@given(
    topic=st.integers(0, 3),
    copies=st.integers(2, 6),
    kind=st.sampled_from((Kind.EVIDENCE, Kind.MEMORY, Kind.NOTE)),
    ending=st.sampled_from(("", " ", "\n")),
)
def test_the_same_fact_many_times_is_one_fact_with_all_its_sources(
    topic: int, copies: int, kind: Kind, ending: str
) -> None:
    text = statement(topic, 30)
    items = [data(f"memory/{n}", kind, text + ending * (n % 2), source_uri=f"chat:{n}") for n in range(copies)]
    assembly = assembled(small_case(items))
    shown = [record for record in assembly.manifest.items if record.id.startswith("memory/")]
    assert len(shown) == 1
    line = next(line for line in assembly.payload.body.splitlines() if 'id="memory/' in line)
    also = re.search(r'also="([^"]*)"', line)
    assert also
    names = also[1].split()
    counted = sum(int(name[1:]) if name.startswith("+") else 1 for name in names)
    assert counted == copies - 1, f"{line} names {counted} of {copies - 1} further sources"
    decided = ends(assembly.manifest)
    assert {standing_in(item.item_id, decided) for item in items} == {shown[0].id}
