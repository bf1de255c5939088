"""What is claimed is what leaves, within every limit, and what is mandatory is whole or loudly missing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.assembly.assemble import Assembly
from conspectus.core.call import Form
from conspectus.core.item import Kind
from conspectus.core.manifest import Reason, Verdict
from conspectus.core.spec import Budget, Share
from conspectus.errors import ContextError, MandatoryOverflow, MissingDependency
from tests.contract.cases import ALL_FORMS, Case, assembled, cases, data, same_cases, small_case
from tests.contract.parts import ADDITIVE, defined


@pytest.mark.proves("R-CONTRACT-EXACT", "R-PAIN-P020", "R-PAIN-P026")
@same_cases
@given(case=cases())
def test_claimed_tokens_are_those_of_the_body_that_leaves(case: Case) -> None:
    assembly = assembled(case)
    assert assembly.payload.tokens == case.profile.recount(assembly.payload.body)
    assert assembly.manifest.input_tokens == assembly.payload.tokens


@pytest.mark.proves("R-CONTRACT-EXACT", "R-COUNT-ADDITIVE")
@same_cases
@given(case=cases())
def test_the_parts_add_up_to_the_payload(case: Case) -> None:
    manifest = assembled(case).manifest
    assert manifest.input_tokens == (
        sum(record.tokens for record in manifest.items) + manifest.scaffold_tokens + manifest.join_tokens
    )
    if case.profile.name in ADDITIVE:
        assert manifest.join_tokens == 0
        assert not manifest.alarms


@pytest.mark.proves("R-STEP-ADMISSION", "R-PAIN-P028", "R-PAIN-P031", "R-BUDGET-RESERVES")
@same_cases
@given(case=cases())
def test_no_payload_breaks_a_limit(case: Case) -> None:
    assembly = assembled(case)
    budget = case.spec.budget
    assert assembly.payload.tokens <= budget.input_limit
    assert assembly.payload.tokens + budget.output_reserve + budget.loop_reserve <= budget.window


@pytest.mark.proves("R-STEP-ADMISSION", "R-CONTRACT-ESTIMATE", "R-PAIN-P031")
@given(
    case=cases(),
    margin=st.sampled_from((0.0, 0.05, 0.5)),
    window=st.integers(min_value=1, max_value=4_000),
    reserves=st.tuples(st.integers(0, 300), st.integers(0, 300)),
)
def test_reserves_and_margins_are_taken_off_the_window(
    case: Case, margin: float, window: int, reserves: tuple[int, int]
) -> None:
    output, loop = reserves
    budget = Budget(window=window, input_limit=3_000, output_reserve=output, loop_reserve=loop)
    profile = defined(case.profile.name, case.profile.form, margin)
    spent = replace(case, profile=profile, spec=case.spec.evolve(budget=budget), memo={}).outcome()
    if isinstance(spent, Assembly):
        assert spent.payload.tokens * (1 + margin) + output + loop <= window
        assert spent.payload.tokens * (1 + margin) <= 3_000
    elif output + loop < window and isinstance(spent, MandatoryOverflow):
        assert spent.needed > spent.allowed
    else:
        assert output + loop >= window or isinstance(spent, MissingDependency)


def whole_of_mandatory(case: Case, assembly: Assembly) -> bool:
    """Whether every mandatory item the caller offered stands in the payload, unreduced."""
    wanted = {item.item_id for item in case.items if item.mandatory}
    records = {record.id: record for record in assembly.manifest.items if record.id in wanted}
    steps = {link.step for record in records.values() for link in record.transformations}
    return wanted == set(records) and steps <= {"sanitize", "unseal"}


@pytest.mark.proves("R-STEP-OVERFLOW", "R-STEP-MANDATORY", "R-CASE-D15", "R-REF-INSTRUCTIONS")
@same_cases
@given(case=cases())
def test_the_mandatory_is_whole_or_an_overflow_lists_it(case: Case) -> None:
    outcome = case.limited(1 + case.number % 1_500).outcome()
    if isinstance(outcome, Assembly):
        assert whole_of_mandatory(case, outcome)
    elif isinstance(outcome, MandatoryOverflow):
        listed = dict(outcome.items)
        assert {item.item_id for item in case.items if item.mandatory} <= set(listed)
        assert all(tokens > 0 for tokens in listed.values()) or case.profile.name == "quarters"
        assert outcome.needed > outcome.allowed
        assert all(name in str(outcome) for name in listed)
    else:
        assert isinstance(outcome, ContextError)


@pytest.mark.proves("R-BAD-LIMIT-EXACT", "R-BAD-LIMIT-ONE", "R-STEP-OVERFLOW")
@given(case=cases(most=3))
def test_exactly_enough_fits_and_one_less_does_not(case: Case) -> None:
    refusal = case.limited(1).outcome()
    if not isinstance(refusal, MandatoryOverflow):
        return
    budget = Budget(window=1 << 25, input_limit=refusal.needed)
    exact = replace(case, spec=case.spec.evolve(budget=budget), memo={}).outcome()
    assert isinstance(exact, Assembly)
    assert exact.payload.tokens <= refusal.needed
    less = replace(
        case, spec=case.spec.evolve(budget=replace(budget, input_limit=refusal.needed - 1)), memo={}
    ).outcome()
    assert isinstance(less, MandatoryOverflow)
    assert less.needed == refusal.needed


@pytest.mark.proves("R-BUDGET-SHARES", "R-PAIN-P026", "R-PAIN-P076")
@given(
    case=cases(),
    kind=st.sampled_from((Kind.EVIDENCE, Kind.NOTE, Kind.TOOL_RESULT, Kind.HISTORY, Kind.TOOL_SCHEMA)),
    bounds=st.tuples(st.integers(0, 300), st.integers(0, 600)),
)
def test_no_kind_takes_more_than_its_share_nor_less_while_it_could(
    case: Case, kind: Kind, bounds: tuple[int, int]
) -> None:
    low, high = min(bounds), max(bounds)
    budget = replace(case.spec.budget, shares=(Share(kind=kind, minimum=low, maximum=high),), input_limit=2_000)
    shared = replace(case, spec=case.spec.evolve(budget=budget), memo={})
    assembly = assembled(shared)
    spent = sum(record.tokens for record in assembly.manifest.items if record.kind == kind)
    assert spent <= high
    for decision in assembly.manifest.decisions:
        if decision.reason is Reason.SHARE_EXCEEDED:
            assert decision.verdict is Verdict.OMITTED


@pytest.mark.proves("R-BUDGET-SHARES")
@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=7),
    minimum=st.integers(1, 250),
    form=st.sampled_from(ALL_FORMS),
    rivals=st.integers(0, 4),
)
def test_a_minimum_is_reached_where_there_is_enough(sizes: list[int], minimum: int, form: Form, rivals: int) -> None:
    case = crowded(sizes, minimum, form, rivals)
    assembly = assembled(case)
    notes = [record.tokens for record in assembly.manifest.items if record.kind == Kind.NOTE]
    offered = [decision.tokens for decision in assembly.manifest.decisions if decision.subject.startswith("note/")]
    assert sum(notes) >= min(minimum, sum(offered)) - max(offered)


def crowded(sizes: list[int], minimum: int, form: Form, rivals: int) -> Case:
    """Dull notes of some sizes, with a minimum share, among evidence that is all about the question."""
    notes = [
        data(f"note/{n}", Kind.NOTE, chr(97 + n) * 6 + f" dull{chr(97 + n)}" * size) for n, size in enumerate(sizes)
    ]
    evidence = [data(f"file/{n}", Kind.EVIDENCE, ("refund days " + chr(97 + n) * 5 + " ") * 30) for n in range(rivals)]
    budget = Budget(window=1 << 20, input_limit=900, shares=(Share(kind=Kind.NOTE, minimum=minimum),))
    return small_case([*notes, *evidence], form=form, budget=budget)
