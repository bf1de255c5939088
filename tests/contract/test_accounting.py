"""Every candidate ends once, for a reason of the closed set, and nothing is removed while everything fits."""

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given

from conspectus.core.item import ContextItem
from conspectus.core.manifest import ContextManifest, Decision, Reason, Stage, Verdict
from tests.contract.cases import Case, assembled, cases, has_expired, may_read, same_cases, standing

ENDS = (Verdict.KEPT, Verdict.TRANSFORMED, Verdict.OMITTED)
LEFT_OUT = frozenset(
    {
        Reason.UNAUTHORIZED, Reason.EXPIRED, Reason.SUPERSEDED, Reason.DUPLICATE, Reason.NEAR_DUPLICATE,
        Reason.BELOW_RELEVANCE, Reason.SHARE_EXCEEDED, Reason.BUDGET_EXCEEDED, Reason.DEPENDENCY_ABSENT, Reason.REDUCED,
        Reason.SOURCE_FAILED, Reason.MALFORMED, Reason.UNREADABLE, Reason.BINARY, Reason.TOO_LARGE, Reason.IGNORED,
    }
)  # fmt: skip
BY_ITS_NATURE = frozenset(
    {
        Reason.EXPIRED, Reason.SUPERSEDED, Reason.DUPLICATE, Reason.NEAR_DUPLICATE, Reason.BELOW_RELEVANCE,
        Reason.DEPENDENCY_ABSENT, Reason.MALFORMED,
    }
)  # fmt: skip


def ends(manifest: ContextManifest) -> dict[str, Decision]:
    """The one decision that ended each candidate."""
    final = [decision for decision in manifest.decisions if decision.verdict in ENDS]
    repeated = [subject for subject, count in Counter(decision.subject for decision in final).items() if count > 1]
    assert not repeated, f"ended more than once: {repeated}"
    return {decision.subject: decision for decision in final}


@pytest.mark.proves("R-CONTRACT-ACCOUNT", "R-SHOW-ACCOUNT")
@same_cases
@given(case=cases())
def test_every_candidate_ends_exactly_once_and_the_counts_add_up(case: Case) -> None:
    assembly = assembled(case)
    decided = ends(assembly.manifest)
    offered = [item.item_id for item in case.items if may_read(item)]
    refused = sum(count for _, count in assembly.manifest.refused)
    assert set(decided) == set(offered)
    assert len(decided) + refused == len(case.items)
    assert sum(assembly.manifest.tally().values()) == len(offered)
    kept = {subject for subject, decision in decided.items() if decision.verdict is not Verdict.OMITTED}
    assert kept == {record.id for record in assembly.manifest.items}
    assert [record.position for record in assembly.manifest.items] == list(range(len(assembly.manifest.items)))


@pytest.mark.proves("R-CONTRACT-REASONS")
@same_cases
@given(case=cases())
def test_every_reason_is_of_the_closed_set_and_fits_its_verdict(case: Case) -> None:
    for decision in assembled(case).manifest.decisions:
        assert isinstance(decision.reason, Reason)
        assert isinstance(decision.stage, Stage)
        assert (decision.verdict is Verdict.OMITTED) == (
            decision.reason in LEFT_OUT - {Reason.UNAUTHORIZED, Reason.REDUCED}
        ) or (decision.reason in (Reason.REDUCED, Reason.UNAUTHORIZED))


@pytest.mark.proves("R-CONTRACT-IDENTITY", "R-PAIN-P007")
@same_cases
@given(case=cases())
def test_nothing_is_removed_while_everything_fits(case: Case) -> None:
    assembly = assembled(case.roomy)
    for decision in ends(assembly.manifest).values():
        if decision.verdict is Verdict.OMITTED:
            assert decision.reason in BY_ITS_NATURE, decision
        assert decision.reason is not Reason.REDUCED


@pytest.mark.proves("R-STEP-DEDUPE", "R-STEP-DEPENDENCIES")
@same_cases
@given(case=cases())
def test_a_copy_is_left_out_only_for_one_that_is_in(case: Case) -> None:
    decided = ends(assembled(case.roomy).manifest)
    for decision in decided.values():
        if decision.reason in (Reason.DUPLICATE, Reason.NEAR_DUPLICATE):
            keeper = decision
            while keeper.reason in (Reason.DUPLICATE, Reason.NEAR_DUPLICATE):
                keeper = decided[keeper.related[0]]
            assert keeper.reason is not Reason.DEPENDENCY_ABSENT, (decision, keeper)


@pytest.mark.proves("R-STEP-SUPERSEDE")
@same_cases
@given(case=cases())
def test_a_superseded_version_is_out_whatever_the_ids(case: Case) -> None:
    assembly = assembled(case.roomy)
    present = {record.id for record in assembly.manifest.items}
    by_id = {item.item_id: item for item in case.readable}
    older = {
        name: {old for old in item.supersedes if old in by_id and may_replace(item, by_id[old], by_id)}
        for name, item in by_id.items()
    }
    for name in present:
        for old in older[name]:
            assert old not in present or name in all_older(old, older), f"{name} supersedes {old}"


def all_older(name: str, older: Mapping[str, set[str]]) -> set[str]:
    """Everything that `name` supersedes, directly or through others."""
    found: set[str] = set()
    frontier = [name]
    while frontier:
        for old in older[frontier.pop()] - found:
            found.add(old)
            frontier.append(old)
    return found


def may_replace(item: ContextItem, old: ContextItem, by_id: Mapping[str, ContextItem]) -> bool:
    """Whether `item` has a standing no lower than what it claims to supersede."""
    authority, trusted = standing(item, by_id)
    old_authority, old_trusted = standing(old, by_id)
    return not old.mandatory and authority >= old_authority and trusted >= old_trusted


@pytest.mark.proves("R-STEP-AUTHORIZE", "R-BAD-EXPIRED", "R-BAD-TENANT")
@same_cases
@given(case=cases())
def test_nothing_unreadable_or_expired_is_in(case: Case) -> None:
    assembly = assembled(case)
    by_id = {item.item_id: item for item in case.items}
    assert all(may_read(by_id[record.id]) and not has_expired(by_id[record.id]) for record in assembly.manifest.items)
    assert {item.item_id for item in assembly.candidates} == {item.item_id for item in case.readable}
