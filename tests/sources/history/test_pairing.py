"""Whatever order calls and results come in, each result is with its call, and what is sent is what providers take."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conspectus.core.manifest import Verdict
from conspectus.core.message import Message, Part, TextPart, ToolCallPart, ToolResultPart
from conspectus.errors import InputError
from conspectus.sources.history.repair import UNKNOWN, repair
from conspectus.sources.history.turns import Turn
from conspectus.sources.history.units import group, items_of
from conspectus.sources.history.validity import validate_turns
from tests.sources.history.conversations import (
    Step,
    answers,
    arguments_of,
    as_anthropic,
    as_openai,
    asks,
    call,
    calls_in,
    damaged,
    gather,
    interleavings,
    paired,
    result_of,
    results_in,
    sent,
)


def numbers(steps: Sequence[Step]) -> list[int]:
    return [number for step in steps for number in step.calls]


@pytest.mark.proves("R-PAIN-P001", "R-PAIN-P005", "R-STEP-UNITS", "R-SOURCE-HISTORY-OPENAI")
@given(interleavings())
def test_every_result_is_with_its_call_however_late_it_came(steps: list[Step]) -> None:
    gathered = gather(as_openai(steps))
    assert paired(gathered) == [(arguments_of(n), result_of(n)) for n in numbers(steps)]
    validate_turns(sent(gathered))


@pytest.mark.proves("R-SOURCE-HISTORY-ANTHROPIC", "R-STEP-UNITS")
@given(interleavings())
def test_both_shapes_say_the_same(steps: list[Step]) -> None:
    theirs = gather(as_anthropic(steps))
    assert [(c.replace(" ", ""), r) for c, r in paired(gather(as_openai(steps)))] == [
        (c.replace(" ", ""), r) for c, r in paired(theirs)
    ]
    validate_turns(sent(theirs))


@given(interleavings(latest=0))
def test_a_sound_conversation_is_left_as_it_is(steps: list[Step]) -> None:
    for shape in (as_openai, as_anthropic):
        records = shape(steps)
        gathered = gather(records, strict=True)
        assert gathered.decisions == ()
        assert sum(len(message.parts) for message in sent(gathered)) == sum(
            len(step.calls) + len(step.results) + bool(step.text) for step in steps
        )


@pytest.mark.proves("R-PAIN-P002", "R-PAIN-P004", "R-PAIN-P008", "R-CONTRACT-ORPHAN")
@given(interleavings(), st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)))
def test_what_is_left_of_a_torn_conversation_is_paired_right(
    steps: list[Step], no_call: set[int], no_result: set[int]
) -> None:
    kept = [
        Step(
            calls=tuple(n for n in step.calls if n not in no_call),
            results=tuple(n for n in step.results if n not in no_result),
            text=step.text,
        )
        for step in steps
    ]
    gathered = gather(as_openai(kept))
    assert paired(gathered) == [
        (arguments_of(n), UNKNOWN if n in no_result else result_of(n)) for n in numbers(steps) if n not in no_call
    ]
    validate_turns(sent(gathered))
    quoted = [item.content for item in gathered.items if not item.messages]
    orphans = {n for step in kept for n in step.results} & no_call
    assert all(any(result_of(n) in content for content in quoted) for n in orphans), "no result is lost"


@pytest.mark.proves("R-CONTRACT-ORPHAN", "R-SOURCE-HISTORY-REPAIR")
@given(damaged())
def test_anything_that_can_be_read_becomes_something_that_can_be_sent(turns: list[Turn]) -> None:
    repaired = repair(turns)
    items = items_of(group(repaired.turns), "history:talk", "local")
    validate_turns([message for item in items for message in item.messages])
    for item in items:
        validate_turns(item.messages)  # each on its own, too: no selection of units can break a pair
        assert item.content.strip()
    assert len({item.item_id for item in items}) == len(items)


@pytest.mark.proves("R-SOURCE-HISTORY-REPAIR")
@given(damaged())
def test_mending_what_was_mended_changes_nothing(turns: list[Turn]) -> None:
    once = repair(turns)
    twice = repair(once.turns)
    assert twice.turns == once.turns
    assert twice.notes == ()


@pytest.mark.proves("R-SOURCE-HISTORY-REPAIR")
@given(damaged())
def test_nothing_disappears_without_a_note(turns: list[Turn]) -> None:
    repaired = repair(turns)
    lost = contents(turns) - contents(repaired.turns)
    left_out = {note.number for note in repaired.notes if note.verdict is Verdict.OMITTED}
    assert not lost - contents([turn for turn in turns if turn.number in left_out])


def contents(turns: Sequence[Turn]) -> Counter[str]:
    return Counter(text for turn in turns for part in turn.parts if (text := content_of(part)))


def content_of(part: Part) -> str:
    if isinstance(part, TextPart):
        return part.text.strip()
    return f"result {part.text}" if isinstance(part, ToolResultPart) else ""


@pytest.mark.proves("R-SOURCE-HISTORY-REPAIR")
@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "same"]), min_size=1, max_size=3), min_size=1, max_size=4))
@example([["same", "same"]])
@example([["", ""]])
def test_g09_g10_ids_that_are_missing_or_taken_are_paired_by_place(rounds: list[list[str]]) -> None:
    records = []
    for place, ids in enumerate(rounds):
        records.append(asks(*(call(each, f'{{"n": "{place}.{n}"}}') for n, each in enumerate(ids))))
        records += [answers(each, f"{place}.{n}") for n, each in enumerate(ids)]
    gathered = gather(records)
    assert paired(gathered) == [
        (f'{{"n": "{place}.{n}"}}', f"{place}.{n}") for place, ids in enumerate(rounds) for n in range(len(ids))
    ]
    given_ids = [each.call_id for item in gathered.items for each in calls_in(item)]
    assert all(given_ids)
    assert len(set(given_ids)) == len(given_ids)


def test_results_without_ids_go_to_the_call_of_their_name() -> None:
    records = [
        asks(call("", '{"n": 1}', "read"), call("", '{"n": 2}', "list")),
        {"role": "tool", "name": "list", "content": "two"},
        {"role": "tool", "name": "read", "content": "one"},
        {"role": "tool", "name": "write", "content": "nobody's"},
    ]
    gathered = gather(records)
    assert paired(gathered) == [('{"n": 1}', "one"), ('{"n": 2}', "two")]
    assert "nobody's" in gathered.items[-1].content
    assert gathered.items[-1].messages == ()


def test_units_are_named_by_their_lines_and_told_apart_by_place() -> None:
    records = [*as_openai([Step(text="hello"), Step(calls=(0, 1)), Step(results=(1, 0)), Step(text="bye")])]
    items = gather(records).items
    assert [item.item_id for item in items] == ["history/1", "history/2-4", "history/5"]
    assert [item.signal("turn") for item in items] == [0.0, 0.5, 1.0]
    assert [result.text for result in results_in(items[1])] == [result_of(1), result_of(0)]
    assert len({item.source_version for item in items}) == 3


def test_the_judge_refuses_what_providers_refuse() -> None:
    """The oracle of this file bites: every rule, broken once."""
    sound = sent(gather(as_openai([Step(text="go"), Step(calls=(0, 1)), Step(results=(0, 1))])))
    validate_turns(sound)
    broken: list[list[Message]] = [
        sound[:-1],
        [*sound[:2], sound[0], *sound[2:]],
        sound[2:],
        [*sound, sound[-1]],
        [*sound, *sound],
        [*sound, Message(role=sound[0].role, parts=())],
        [*sound, Message(role=sound[0].role, parts=(TextPart(text=" "),))],
        [Message(role=sound[0].role, parts=(ToolCallPart(call_id="x", name="n", arguments="{}"),))],
    ]
    for messages in broken:
        with pytest.raises(InputError, match=r"^history:\d+: "):
            validate_turns(messages)
