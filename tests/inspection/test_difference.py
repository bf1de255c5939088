"""diff tells what entered, left, moved, grew and shrank, why, and which settings differ."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.call import Caller
from conspectus.inspection.difference import Change, Difference, difference
from tests.inspection import scenes
from tests.inspection.scenes import assembled

WIDE = assembled(limit=100_000).manifest
NARROW = assembled(limit=1_000).manifest
CHANGED = assembled(
    *(one for one in scenes.EVIDENCE if one not in (scenes.PERIOD, scenes.COPY)),
    replace(
        scenes.PERIOD,
        content="A kettle may be returned within 60 days of delivery, unless it was used more than once.",
    ),
    limit=100_000,
).manifest


def named(found: Difference, change: Change) -> list[str]:
    return [step.subject for step in found.steps if step.change is change]


@pytest.mark.proves("R-DOOR-DIFF")
def test_nothing_changed_from_a_payload_to_itself() -> None:
    found = difference(WIDE, WIDE)
    assert (found.steps, found.settings, found.tokens, found.headings) == ((), (), 0, 0)
    assert found.unchanged == len(WIDE.items)
    assert found.is_same


@pytest.mark.proves("R-DOOR-DIFF")
def test_what_a_lower_limit_costs_is_told_with_reasons() -> None:
    found = difference(WIDE, NARROW)
    left = set(named(found, Change.LEFT))
    assert left == {record.id for record in WIDE.items} - {record.id for record in NARROW.items}
    assert scenes.CANTEEN.item_id in left
    (step,) = [step for step in found.steps if step.subject == scenes.CANTEEN.item_id]
    assert step.cause.startswith("was kept (fits), now omitted (budget_exceeded")
    assert step.tokens < 0
    assert [setting.path for setting in found.settings] == ["spec.budget.input_limit"]
    assert (found.settings[0].before, found.settings[0].after) == (100_000, 1_000)
    back = difference(NARROW, WIDE)
    assert set(named(back, Change.ENTERED)) == left
    assert back.tokens == -found.tokens


@pytest.mark.proves("R-DOOR-DIFF")
def test_a_changed_text_grew_because_its_source_did() -> None:
    found = difference(WIDE, CHANGED)
    (step,) = [step for step in found.steps if step.subject == scenes.PERIOD.item_id]
    assert (step.change, step.cause) == (Change.GREW, "the source has another text")
    assert step.tokens > 0
    assert named(difference(CHANGED, WIDE), Change.SHRANK) == [scenes.PERIOD.item_id]
    assert not found.settings


def test_a_text_of_the_same_size_was_rewritten() -> None:
    other = assembled(replace(scenes.PERIOD, content=scenes.PERIOD.content.replace("30", "60"))).manifest
    assert named(difference(assembled(scenes.PERIOD).manifest, other), Change.REWRITTEN) == [scenes.PERIOD.item_id]


def test_a_shortened_result_shrank_because_of_its_rung() -> None:
    whole, short = (assembled(scenes.LOG, limit=limit).manifest for limit in (100_000, 2_200))
    (step,) = difference(whole, short).steps
    assert (step.change, step.cause) == (Change.SHRANK, "was whole, now shorten")


def test_a_new_candidate_is_told_from_one_that_lost_before() -> None:
    found = difference(assembled(scenes.PERIOD).manifest, assembled(scenes.PERIOD, scenes.LATER).manifest)
    assert [(step.change, step.cause) for step in found.steps] == [(Change.ENTERED, "no candidate, now kept (fits)")]


@pytest.mark.proves("R-DOOR-DIFF")
@given(order=st.permutations(range(len(WIDE.items))))
def test_as_few_as_can_be_have_moved(order: list[int]) -> None:
    items = tuple(replace(WIDE.items[place], position=position, section="One") for position, place in enumerate(order))
    before = replace(WIDE, items=tuple(replace(record, section="One") for record in WIDE.items))
    found = difference(before, replace(WIDE, items=items))
    moved = set(named(found, Change.MOVED))
    stayed = [place for place in order if WIDE.items[place].id not in moved]
    assert stayed == sorted(stayed)
    assert len(stayed) == longest_run(order)
    assert {step.change for step in found.steps} <= {Change.MOVED}


def longest_run(order: list[int]) -> int:
    """Length of a longest increasing subsequence, by the plain quadratic rule."""
    best: list[int] = []
    for place, value in enumerate(order):
        best.append(1 + max((best[i] for i in range(place) if order[i] < value), default=0))
    return max(best)


def test_another_heading_is_a_move() -> None:
    items = tuple(replace(one, section="Conflicts") if one.id == scenes.PERIOD.item_id else one for one in WIDE.items)
    (step,) = difference(WIDE, replace(WIDE, items=items)).steps
    assert (step.change, step.cause) == (Change.MOVED, "from [Evidence] to [Conflicts]")


def test_another_caller_and_moment_are_settings() -> None:
    other = assembled(
        caller=Caller(principal="bob", tenant="acme", groups=frozenset({"finance"})), limit=100_000
    ).manifest
    found = difference(WIDE, replace(other, assembled_at="2027-01-01T00:00:00Z"))
    assert [setting.path for setting in found.settings] == ["groups", "now", "principal"]
    assert scenes.SECRET.item_id in named(found, Change.ENTERED)


@given(
    first=st.lists(st.sampled_from(scenes.EVIDENCE[:7]), min_size=1, unique_by=lambda one: one.item_id),
    second=st.lists(st.sampled_from(scenes.EVIDENCE[:7]), min_size=1, unique_by=lambda one: one.item_id),
    limit=st.integers(600, 2_000),
)
def test_the_changes_add_up(first: list[scenes.ContextItem], second: list[scenes.ContextItem], limit: int) -> None:
    before, after = assembled(*first, limit=limit).manifest, assembled(*second).manifest
    found = difference(before, after)
    assert found.tokens == after.input_tokens - before.input_tokens
    once = {step.subject: step.tokens for step in found.steps}
    assert sum(once.values()) + found.headings == found.tokens
    assert found.unchanged + len(once) == len({record.id for record in (*before.items, *after.items)})
