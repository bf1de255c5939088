"""Limits that no payload can keep are refused by name and value; what would help is named, and helps."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.item import Kind
from conspectus.core.spec import Budget, Share
from conspectus.errors import IncompatibleSpec, MandatoryOverflow

budgets = st.builds(
    Budget,
    window=st.integers(1, 5_000),
    input_limit=st.integers(1, 6_000),
    output_reserve=st.integers(0, 5_000),
    loop_reserve=st.integers(0, 5_000),
).filter(lambda budget: budget.output_reserve + budget.loop_reserve < budget.window)
FIELDS = {"input limit": "input_limit", "output reserve": "output_reserve", "loop reserve": "loop_reserve"}


def changed(budget: Budget, changes: tuple[tuple[str, int], ...]) -> Budget:
    return replace(budget, **{FIELDS[setting]: tokens for setting, tokens in changes})


@pytest.mark.proves("R-PAIN-P040")
@given(budget=budgets, tokens=st.integers(1, 6_000))
def test_the_changes_that_are_named_make_room_and_no_smaller_ones_do(budget: Budget, tokens: int) -> None:
    changes = budget.changes_for(tokens)
    if tokens > budget.window or tokens <= budget.allowed:
        assert changes == ()
        return
    better = changed(budget, changes)
    better.check()
    assert better.allowed == tokens
    for setting, value in changes:
        worse = value - 1 if setting == "input limit" else value + 1
        assert changed(better, ((setting, worse),)).allowed < tokens


@pytest.mark.proves("R-BAD-LIMIT-IMPOSSIBLE", "R-BAD-RESERVE", "R-BUDGET-SHARES")
@pytest.mark.parametrize(
    ("budget", "field", "words"),
    [
        (Budget(window=0, input_limit=1), "window", "0 tokens"),
        (Budget(window=9, input_limit=-1), "input limit", "-1 tokens"),
        (Budget(window=9, input_limit=9, output_reserve=-1), "output reserve", "-1 tokens; it cannot be negative"),
        (Budget(window=9, input_limit=9, loop_reserve=-2), "loop reserve", "-2 tokens; it cannot be negative"),
        (Budget(window=9, input_limit=9, output_reserve=9), "output reserve", "lower a reserve"),
        (Budget(window=9, input_limit=9, loop_reserve=8, output_reserve=1), "loop reserve", "lower a reserve"),
        (
            Budget(window=9, input_limit=9, shares=(Share(kind=Kind.NOTE, minimum=3, maximum=2),)),
            "share",
            "note=3:2 is no range",
        ),
        (
            Budget(window=9, input_limit=9, shares=(Share(kind=Kind.NOTE), Share(kind=Kind.NOTE))),
            "share",
            "note is given twice",
        ),
        (
            Budget(
                window=9,
                input_limit=8,
                shares=(Share(kind=Kind.NOTE, minimum=5), Share(kind=Kind.EVIDENCE, minimum=4)),
            ),
            "share",
            "9 tokens (note 5, evidence 4) and exceed the 8 allowed",
        ),
    ],
)
def test_impossible_limits_are_refused_by_name_and_value(budget: Budget, field: str, words: str) -> None:
    with pytest.raises(IncompatibleSpec) as refused:
        budget.check()
    assert refused.value.field == field
    assert words in str(refused.value)


@pytest.mark.proves("R-PAIN-P040")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((("input limit", 9_000),), "raise the input limit to at least 9,000, or shorten"),
        ((("output reserve", 80),), "lower the output reserve to 80 or less, or shorten"),
        ((("share of request", 29),), "widen the share of request to at least 29, or shorten"),
        ((("input limit", 9), ("loop reserve", 0)), "to at least 9 and lower the loop reserve to 0 or less, or"),
        ((), "choose a model with a larger window, or shorten"),
    ],
)
def test_an_overflow_advises_what_would_help(changes: tuple[tuple[str, int], ...], words: str) -> None:
    error = MandatoryOverflow(12, 5, [("request", 12)], changes)
    assert words in str(error)
    assert "headings" not in str(error)
