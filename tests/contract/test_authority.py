"""Who may see what, and whose word counts: no trace of the unreadable, no authority from derivation or role."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.assembly.assemble import Assembly
from conspectus.core.item import Authority, Kind, Trust
from conspectus.errors import ContextError
from tests.contract.cases import CANARY, Case, assembled, cases, data, may_read, same_cases, small_case, standing


@pytest.mark.proves("R-VALUE-AUTHORITY", "R-CASE-D13", "R-CASE-D14")
@same_cases
@given(case=cases())
def test_nothing_derived_has_more_authority_than_its_sources(case: Case) -> None:
    readable = {item.item_id: item for item in case.readable}
    for record in assembled(case).manifest.items:
        assert Authority[record.authority.upper()] <= standing(readable[record.id], readable)[0]


@pytest.mark.proves("R-VALUE-AUTHORITY", "R-VALUE-TRUST")
@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 9)), max_size=14),
    levels=st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_authority_falls_along_every_derivation(edges: list[tuple[int, int]], levels: list[int]) -> None:
    items = [
        data(
            f"memory/{n}", Kind.MEMORY, f"fact {n} stands alone", authority=Authority(level), trust=Trust.TRUSTED,
            derived_from=tuple(f"memory/{source}" for made, source in edges if made == n),
        )
        for n, level in enumerate(levels)
    ]  # fmt: skip
    by_id = {item.item_id: item for item in items}
    for record in assembled(small_case(items)).manifest.items:
        if record.id in by_id:
            assert Authority[record.authority.upper()] <= standing(by_id[record.id], by_id)[0]


def everything_said(outcome: Assembly | ContextError) -> str:
    """All that leaves an assembly: body, manifest, candidates or the words of the refusal."""
    if isinstance(outcome, Assembly):
        return f"{outcome.payload!r} {outcome.manifest!r} {list(outcome.manifest.decisions)!r} {outcome.candidates!r}"
    return f"{outcome} {vars(outcome)!r}"


@pytest.mark.proves("R-STEP-NO-TRACE", "R-PAIN-P101", "R-STEP-AUTHORIZE")
@same_cases
@given(case=cases())
def test_what_may_not_be_read_leaves_a_number_and_no_trace(case: Case) -> None:
    outcome = case.outcome()
    assert CANARY not in everything_said(outcome)
    if isinstance(outcome, Assembly):
        refused = {
            source.name: hidden
            for source in case.sources
            if (hidden := sum(not may_read(item) for item in source.items))
        }
        assert dict(outcome.manifest.refused) == refused


@pytest.mark.proves("R-STEP-AUTHORIZE", "R-PAIN-P101")
@same_cases
@given(case=cases())
def test_what_may_not_be_read_changes_nothing_else(case: Case) -> None:
    """The payload is the same whether the unreadable was offered or not: it is not ranked, counted or compared."""
    outcome = case.outcome()
    hidden = {item.item_id for item in case.items if not may_read(item)}
    if not isinstance(outcome, Assembly) or not hidden:
        return
    referred = {
        name for item in case.readable for name in (*item.dependencies, *item.derived_from, item.parent_call_id)
    }
    if referred & hidden:
        return
    bare = without(case, hidden).outcome()
    assert isinstance(bare, Assembly)
    assert bare.payload == outcome.payload


def without(case: Case, names: set[str]) -> Case:
    """The same call, those items never offered."""
    sources = tuple(
        source.__class__(name=source.name, items=tuple(item for item in source.items if item.item_id not in names))
        for source in case.sources
    )
    return case.__class__(
        sources=sources, spec=case.spec, profile=case.profile, request=case.request, caller=case.caller, now=case.now
    )
