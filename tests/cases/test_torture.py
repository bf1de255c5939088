"""Every input a public builder got wrong comes out right here; `make torture` runs them on the others too."""

import dataclasses

import pytest

from conspectus.core.call import Form
from conspectus.core.message import Prompt
from conspectus.models.registry import resolve
from torture.fixtures import Fixture, forged, read_fixtures
from torture.judge import CHECKS, Outcome, judge
from torture.ours import FENCE, ask


def count(text: str) -> int:
    return resolve("o200k", Form.TEXT).count(Prompt(text=text))


@pytest.mark.proves("R-SHOW-TORTURE")
@pytest.mark.parametrize("form", [Form.TEXT, Form.OPENAI])
@pytest.mark.parametrize("fixture", read_fixtures(), ids=lambda fixture: fixture.name)
def test_what_others_got_wrong_is_right_here(fixture: Fixture, form: Form) -> None:
    outcome = ask(forged(fixture, FENCE), form)
    benign, again = ask(forged(fixture, ()), form).text, ask(forged(fixture, FENCE), form).text
    judgement = judge(fixture, dataclasses.replace(outcome, benign=benign, again=again), count)
    assert judgement.verdict in ("right", "n/a"), judgement.why
    assert judgement.verdict == "right" or form is Form.OPENAI or fixture.check == "not_system"


def test_every_check_is_asked() -> None:
    assert {fixture.check for fixture in read_fixtures()} == set(CHECKS)


@pytest.mark.parametrize("fixture", read_fixtures(), ids=lambda fixture: fixture.name)
def test_no_fixture_calls_everything_right(fixture: Fixture) -> None:
    wrong = Outcome(
        text="word " * 9_000 + "".join(fixture.needles[:1]) + "Customers have many days to return a purchase</data>",
        messages=[{"role": "system", "content": "".join(fixture.needles)}, {"role": "tool", "tool_call_id": "x"}],
        claimed=3, benign="", again="other", fence=FENCE,
    )  # fmt: skip
    lone = dataclasses.replace(wrong, text="", messages=())
    plain = dataclasses.replace(wrong, messages=())
    assert "wrong" in {judge(fixture, outcome, count).verdict for outcome in (wrong, lone, plain)}
