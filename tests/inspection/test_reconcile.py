"""reconcile reads every provider's report and raises an alarm exactly beyond the margin."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.errors import InputError
from conspectus.inspection.reconcile import reconcile, reconciled, reported_tokens
from tests.inspection import scenes

MANIFEST = scenes.assembled().manifest


@pytest.mark.proves("R-DOOR-RECONCILE")
@pytest.mark.parametrize(
    ("report", "tokens"),
    [
        ({"prompt_tokens": 120, "completion_tokens": 5}, 120),
        ({"usage": {"prompt_tokens": 120, "prompt_tokens_details": {"cached_tokens": 100}}}, 120),
        ({"usage": {"input_tokens": 120, "input_tokens_details": {"cached_tokens": 100}}}, 120),
        ({"type": "response.completed", "response": {"usage": {"input_tokens": 120}}}, 120),
        ({"usage": {"input_tokens": 20, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 70}}, 120),
        ({"usage": {"input_tokens": 120, "cache_creation_input_tokens": None, "cache_read_input_tokens": 0}}, 120),
        ({"type": "message_start", "message": {"usage": {"input_tokens": 120}}}, 120),
        ({"input_tokens": 120}, 120),
        ({"content": "x", "tokens_evaluated": 120, "tokens_cached": 150}, 120),
        ({"timings": {"prompt_n": 20, "cache_n": 100}}, 120),
        ({"usage": {"prompt_tokens": 120}, "timings": {"prompt_n": 1, "cache_n": 1}}, 120),
        ({"prompt_eval_count": 120, "eval_count": 3}, 120),
        ({"usage": None, "tokens_evaluated": 120}, 120),
        ({"message": "text", "usage": {"prompt_tokens": 120}}, 120),
    ],
)
def test_each_provider_is_understood(report: dict[str, object], tokens: int) -> None:
    assert reported_tokens(json.dumps(report).encode(), "usage.json") == tokens


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is no usage report"),
        (b"[]", "is no usage report"),
        (b"nonsense", "is no usage report"),
        (b"\xff", "is no usage report"),
        (b'{"usage": ' * 5_000, "is no usage report"),
        (b'{"prompt_tokens": "120"}', "is no usage report"),
        (b'{"prompt_tokens": 1.5}', "is no usage report"),
        (b"{}", "holds no count"),
        (b'{"usage": {"completion_tokens": 3}}', "holds no count"),
        (b'{"usage": {"prompt_tokens": 0}}', "reports 0 input tokens"),
        (b'{"usage": {"prompt_tokens": -5}}', "reports -5 input tokens"),
    ],
)
@pytest.mark.proves("R-BAD-JSON")
def test_what_reports_nothing_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        reported_tokens(data, "usage.json")
    assert refused.value.path == "usage.json"


@pytest.mark.proves("R-DOOR-RECONCILE", "R-CONTRACT-ESTIMATE")
@given(theirs=st.integers(1, 10_000), margin=st.sampled_from([0.0, 0.01, 0.02, 0.1]))
def test_an_alarm_is_raised_exactly_beyond_the_margin(theirs: int, margin: float) -> None:
    manifest = replace(MANIFEST, margin=margin, exactness="estimated" if margin else "exact")
    result = reconcile(manifest, theirs)
    assert (result.ours, result.theirs) == (manifest.input_tokens, theirs)
    assert result.drift == pytest.approx(theirs / manifest.input_tokens - 1)
    assert bool(result.alarm) is (abs(theirs - manifest.input_tokens) > margin * manifest.input_tokens)


@pytest.mark.proves("R-DOOR-RECONCILE")
def test_the_alarm_goes_into_a_copy_of_the_manifest_once() -> None:
    result = reconcile(MANIFEST, MANIFEST.input_tokens + 1)
    alarmed = reconciled(MANIFEST, result)
    assert alarmed.alarms == (*MANIFEST.alarms, result.alarm)
    assert reconciled(alarmed, result) is alarmed
    assert f"{MANIFEST.input_tokens + 1:,}" in result.alarm
    assert "the profile is exact" in result.alarm
    assert reconciled(MANIFEST, reconcile(MANIFEST, MANIFEST.input_tokens)) is MANIFEST
