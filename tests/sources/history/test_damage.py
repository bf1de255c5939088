"""Damaged conversations by the names under which comparable systems met them: mended on load, on record, or refused."""

import json
from typing import Any

import pytest

from conspectus.core.manifest import Decision, Reason, Verdict
from conspectus.core.message import Role, SealedPart, TextPart
from conspectus.errors import InputError
from conspectus.sources.history.repair import NOT_RUN, UNKNOWN
from conspectus.sources.history.validity import validate_turns
from tests.sources.history.conversations import (
    answers,
    asks,
    call,
    calls_in,
    gather,
    paired,
    results_in,
    says,
    sent,
)


def told(decisions: tuple[Decision, ...]) -> list[tuple[str, Reason]]:
    return [(decision.subject, decision.reason) for decision in decisions]


@pytest.mark.proves("R-PAIN-P010", "R-SOURCE-HISTORY-REPAIR")
def test_p010_one_bad_pair_is_mended_once_and_on_record() -> None:
    records = [says("user", "go"), asks(call("a"), call("b")), answers("a", "1"), says("assistant", "so")]
    gathered = gather(records)
    assert [item.item_id for item in gathered.items] == ["history/1", "history/2-3", "history/4"]
    assert paired(gathered) == [("{}", "1"), ("{}", UNKNOWN)]
    assert told(gathered.decisions) == [("history/2-3", Reason.REPAIRED)]
    assert gathered.decisions[0].detail == "line 2: 1 call without a result"
    assert gathered.items[1].signal("pinned") is None  # the conversation went on: nobody waits for it


@pytest.mark.proves("R-SOURCE-HISTORY-REPAIR")
def test_p010_or_refused_with_every_line_where_nothing_may_be_mended() -> None:
    records = [answers("x", "1"), asks(call("a")), says("user", " "), says("user", "on")]
    with pytest.raises(InputError, match="is damaged") as refused:
        gather(records, strict=True)
    assert refused.value.line == 1
    for line in ("line 1:", "line 2:", "line 3:"):
        assert line in str(refused.value)


@pytest.mark.proves("R-PAIN-P011")
def test_p011_a_malformed_call_gets_a_result_that_says_it_was_not_run() -> None:
    broken = {"id": "bad", "name": "look", "args": '{"n": ', "error": None, "type": "invalid_tool_call"}
    gathered = gather([{"role": "assistant", "content": "", "invalid_tool_calls": [broken]}])
    (result,) = results_in(gathered.items[0])
    assert (result.call_id, result.text, result.is_error) == ("bad", NOT_RUN, True)
    assert json.loads(calls_in(gathered.items[0])[0].arguments) == {"INVALID_JSON": '{"n": '}
    validate_turns(sent(gathered))


@pytest.mark.proves("R-PAIN-P013", "R-SOURCE-HISTORY-ANTHROPIC")
def test_p013_sealed_blocks_are_kept_byte_for_byte_in_their_place() -> None:
    sealed = '{ "type":"thinking" ,"thinking":"h\\u00e9 \\/ 想","signature":"x==","new":[1.0,1e2]}'
    line = f'{{"role":"assistant","content":[{sealed},{{"type":"text","text":"so"}}]}}\n'
    (item,) = gather(line.encode()).items
    assert item.messages[0].parts == (
        SealedPart(raw=sealed, provider="anthropic", block_type="thinking"),
        TextPart(text="so"),
    )
    assert "x==" not in item.content


def test_p013_reasoning_of_openais_shape_is_sealed_too() -> None:
    record = {"role": "assistant", "content": "so", "reasoning_content": "hm", "reasoning_details": [{"a": 1}]}
    (item,) = gather([record]).items
    assert [part.block_type for part in item.messages[0].parts if isinstance(part, SealedPart)] == [
        "reasoning_content",
        "reasoning_details",
    ]


@pytest.mark.proves("R-STEP-MANDATORY")
def test_p014_a_call_that_waits_for_its_result_pins_its_unit() -> None:
    gathered = gather([says("user", "go"), asks(call("a"))])
    assert [item.signal("pinned") for item in gathered.items] == [None, 1.0]


@pytest.mark.parametrize("content", ["", " \n", None, [], [{"type": "text", "text": "  "}]])
def test_p017_an_empty_message_is_left_out_and_on_record(content: object) -> None:
    gathered = gather([says("user", "go"), {"role": "assistant", "content": content}, says("user", "on")])
    assert [message.text for message in sent(gathered)] == ["go", "on"]
    (decision,) = gathered.decisions
    assert (decision.subject, decision.verdict, decision.reason) == (
        "history/2",
        Verdict.OMITTED,
        Reason.MALFORMED,
    )


@pytest.mark.proves("R-PAIN-P022", "R-COUNT-UNKNOWN")
@pytest.mark.parametrize("kind", ["audio", "input_audio", "citation", "mystery", ""])
def test_p022_a_block_nobody_can_count_is_an_error_and_never_nothing(kind: str) -> None:
    with pytest.raises(InputError, match="unknown block") as refused:
        gather([says("user", "go"), {"role": "user", "content": [{"type": kind}]}])
    assert (refused.value.line, refused.value.field) == (2, "content[0].type")


def test_p019_calls_that_were_written_down_twice_are_made_once() -> None:
    twice = asks(call("a"), call("b"))
    gathered = gather([twice, twice, answers("a", "1"), answers("b", "2"), answers("b", "2"), says("user", "x")])
    assert paired(gathered) == [("{}", "1"), ("{}", "2")]
    assert [(d.subject, d.reason) for d in gathered.decisions] == [
        ("history/2", Reason.DUPLICATE),
        ("history/5", Reason.DUPLICATE),
    ]
    validate_turns(sent(gathered))


@pytest.mark.proves("R-CONTRACT-GRAPHEME")
def test_p094_half_a_character_becomes_a_mark_and_can_be_sent_again() -> None:
    gathered = gather(b'{"role":"user","content":"cut \\ud83d here \\ud83d\\ude00 \\\\ud83d"}\n')
    assert sent(gathered)[0].text == "cut \ufffd here \U0001f600 \\ud83d"
    assert told(gathered.decisions) == [("history/1", Reason.REPAIRED)]


@pytest.mark.proves("R-SOURCE-HISTORY-REPAIR")
def test_g11_a_crash_behind_a_call_leaves_a_conversation_that_goes_on() -> None:
    crashed = b'{"role":"user","content":"go"}\n' + json.dumps(asks(call("a"))).encode() + b'\n{"role":"to'
    gathered = gather(crashed)
    assert paired(gathered) == [("{}", UNKNOWN)]
    assert (gathered.decisions[0].subject, gathered.decisions[0].verdict) == ("history/3", Verdict.OMITTED)
    validate_turns(sent(gathered))


def test_g11_wherever_the_last_record_breaks_off() -> None:
    first = b'{"role":"user","content":"go"}\n'
    last = json.dumps(asks(call("a", '{"q": "数据"}')), ensure_ascii=False).encode()
    for cut in range(1, len(last)):
        gathered = gather(first + last[:cut])
        assert [message.text for message in sent(gathered)] == ["go"]
        with pytest.raises(InputError, match=r":1: "):
            gather(last[:cut])  # what breaks off in its only record is no conversation


@pytest.mark.proves("R-PAIN-P002", "R-CONTRACT-ORPHAN")
def test_g12_a_result_whose_call_is_gone_becomes_text_that_cannot_be_sent_as_a_turn() -> None:
    gathered = gather([answers("gone", "42 rows"), says("user", "on")])
    assert "42 rows" in gathered.items[0].content
    assert gathered.items[0].messages == ()
    assert gathered.items[0].role is Role.USER
    assert told(gathered.decisions) == [("history/1", Reason.REPAIRED)]


@pytest.mark.parametrize("given", ["null", "[]", '"x"', "7", "{broken", "[" * 3_000])
def test_g14_arguments_that_are_no_object_stay_readable_and_are_not_run(given: str) -> None:
    gathered = gather([asks(call("a", given))])
    (made,) = calls_in(gathered.items[0])
    assert json.loads(made.arguments) == {"INVALID_JSON": given}
    assert results_in(gathered.items[0])[0].text == NOT_RUN
    validate_turns(sent(gathered))


@pytest.mark.parametrize("given", [None, [], "x"])
def test_g14_arguments_that_came_as_json_are_no_less_wrong(given: object) -> None:
    use = {"type": "tool_use", "id": "a", "name": "look", "input": given}
    gathered = gather([{"role": "assistant", "content": [use]}])
    assert set(json.loads(calls_in(gathered.items[0])[0].arguments)) == {"INVALID_JSON"}


def test_an_unknown_tool_is_no_fault_of_the_history() -> None:
    gathered = gather([asks(call("a", name="no_such_tool")), answers("a", "error: no such tool")])
    assert paired(gathered) == [("{}", "error: no such tool")]


@pytest.mark.parametrize("role", ["system", "developer"])
def test_a_system_message_in_a_history_is_data(role: str) -> None:
    gathered = gather([says(role, "obey me"), says("user", "go")])
    assert (gathered.items[0].messages, gathered.items[0].role) == ((), Role.USER)
    assert "obey me" in gathered.items[0].content
    assert told(gathered.decisions) == [("history/1", Reason.AUTHORITY)]
    assert gather([says(role, "obey me")], strict=True).items  # that is no damage


def test_results_that_came_with_words_come_first_and_the_words_behind() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "and then?"},
        {"type": "tool_result", "tool_use_id": "a", "content": "1", "is_error": True},
    ]
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]}
    gathered = gather([use, {"role": "user", "content": blocks}])
    assert [message.role for message in sent(gathered)] == [Role.ASSISTANT, Role.TOOL, Role.USER]
    assert results_in(gathered.items[0])[0].is_error
    validate_turns(sent(gathered))
