"""The values themselves: frozen, one canonical form, one hash for one contract; an unknown revision is refused."""

import dataclasses
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.assembly.resolve import spec_for
from conspectus.assembly.table import PARTS
from conspectus.core.canonical import canonical_bytes, canonical_hash
from conspectus.core.item import ContextItem, Kind
from conspectus.core.spec import Budget, ContextSpec, Share
from conspectus.errors import IncompatibleSpec, InputError, UnknownRevision
from conspectus.relevance.signals import SIGNALS
from tests.contract.cases import Case, assembled, cases, data, same_cases, small_case, spec
from tests.contract.parts import defined

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(alphabet=st.characters(codec="utf-8"))),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(alphabet="abc退", max_size=3), inner)),
    max_leaves=12,
)


@pytest.mark.proves("R-VALUE-CANONICAL")
@given(
    mapping=st.dictionaries(st.text(alphabet="abc退", max_size=3), JSON, max_size=6), names=st.sets(st.text(max_size=3))
)
def test_the_order_of_filling_leaves_no_mark(mapping: dict[str, object], names: set[str]) -> None:
    names = {name for name in names if name.isprintable()}
    turned: Mapping[str, object] = dict(reversed(mapping.items()))
    assert canonical_bytes(mapping) == canonical_bytes(turned)
    assert canonical_bytes(frozenset(names)) == canonical_bytes(frozenset(sorted(names, reverse=True)))


def parts(value: object, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The path of every field of a value, fields of fields included."""
    found: list[tuple[str, ...]] = []
    for field in dataclasses.fields(value):  # type: ignore[arg-type]
        inner = getattr(value, field.name)
        found.append((*path, field.name))
        if dataclasses.is_dataclass(inner):
            found.extend(parts(inner, (*path, field.name)))
    return found


def changed(value: object, path: tuple[str, ...]) -> object:
    """The value with the field at `path` changed."""
    name, *rest = path
    old = getattr(value, name)
    if rest:
        new = changed(old, tuple(rest))
    elif dataclasses.is_dataclass(old):
        return changed(value, (name, dataclasses.fields(old)[0].name))
    elif name == "shares":
        new = (Share(kind=Kind.NOTE, maximum=5),)
    elif isinstance(old, tuple):
        new = (*old, "more")
    elif isinstance(old, int | float):
        new = old + 1
    else:
        new = next(other for other in type(old) if other is not old) if name == "form" else f"{old}x"
    return dataclasses.replace(value, **{name: new})  # type: ignore[type-var]


SPEC = spec(defined("words"))


@pytest.mark.proves("R-VALUE-SPEC-HASH")
@pytest.mark.parametrize("path", parts(SPEC), ids=".".join)
def test_any_change_of_any_part_of_a_spec_is_another_hash(path: tuple[str, ...]) -> None:
    other = changed(SPEC, path)
    assert isinstance(other, ContextSpec)
    assert other.hash != SPEC.hash
    assert dataclasses.replace(SPEC).hash == SPEC.hash


@pytest.mark.proves("R-VALUE-FROZEN")
@same_cases
@given(case=cases())
def test_an_assembly_changes_nothing_it_was_given(case: Case) -> None:
    before = canonical_hash((case.items, case.spec, case.request, case.caller))
    assembly = assembled(case)
    assert canonical_hash((case.items, case.spec, case.request, case.caller)) == before
    for value in (case.items[0], case.spec, assembly.payload, assembly.manifest):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, dataclasses.fields(value)[0].name, "other")


@pytest.mark.proves("R-VALUE-ITEM")
def test_an_item_that_cannot_be_used_is_refused_with_its_field() -> None:
    for field, wrong in (("item_id", ""), ("item_id", "a\x00b")):
        with pytest.raises(InputError) as refused:
            ContextItem(**{"item_id": "a", "kind": Kind.NOTE, "content": "x", field: wrong})
        assert refused.value.field == field
    with pytest.raises(InputError) as twice:
        small_case([data("kb/1", Kind.NOTE, "x"), data("kb/1", Kind.NOTE, "y")]).run()
    assert twice.value.field == "item_id"


@pytest.mark.proves("R-STEP-RESOLVE")
@pytest.mark.parametrize("name", ["model_revision", "tokenizer_revision", "template_revision"])
def test_an_unknown_revision_is_an_error_and_no_default(name: str) -> None:
    case = small_case([])
    with pytest.raises(UnknownRevision) as refused:
        dataclasses.replace(case, spec=case.spec.evolve(**{name: "other"}), memo={}).run()
    assert refused.value.revision == "other"
    assert refused.value.known


@pytest.mark.proves("R-STEP-RESOLVE", "R-CONTRACT-POLICIES")
@pytest.mark.parametrize("name", ["ranking", "ordering", "reduction", "trust"])
def test_an_unknown_policy_is_an_error_and_no_default(name: str) -> None:
    case = small_case([])
    policy = dataclasses.replace(getattr(case.spec.policies, name), revision="other-9")
    policies = dataclasses.replace(case.spec.policies, **{name: policy})
    with pytest.raises(UnknownRevision):
        dataclasses.replace(case, spec=case.spec.evolve(policies=policies), memo={}).run()


@pytest.mark.proves("R-BAD-LIMIT-IMPOSSIBLE", "R-BAD-RESERVE", "R-STEP-RESOLVE")
@given(
    window=st.integers(-2, 50), limit=st.integers(-2, 50), output=st.integers(-2, 60), loop=st.integers(-2, 60),
)  # fmt: skip
def test_impossible_limits_are_refused_before_anything_is_read(window: int, limit: int, output: int, loop: int) -> None:
    budget = Budget(window=window, input_limit=limit, output_reserve=output, loop_reserve=loop)
    impossible = window <= 0 or limit <= 0 or output < 0 or loop < 0 or output + loop >= window
    if impossible:
        with pytest.raises(IncompatibleSpec) as refused:
            budget.check()
        assert refused.value.field
    else:
        budget.check()
        assert 0 < budget.allowed <= min(limit, window - output - loop)


@pytest.mark.proves("R-STEP-RANK", "R-STEP-SELECT", "R-BUDGET-LADDER")
@same_cases
@given(case=cases())
def test_every_candidate_that_was_ranked_says_its_parts_and_every_loser_what_it_lost_on(case: Case) -> None:
    for decision in assembled(case).manifest.decisions:
        if decision.stage == "select":
            names = dict(decision.scores)
            assert {"relevance", "value"} <= set(names) <= {*PARTS, *SIGNALS}
            assert all(0.0 <= names[part] <= 1.0 for part in PARTS if part in names)


@pytest.mark.proves("R-STEP-RESOLVE")
def test_a_spec_is_bound_to_the_revisions_of_its_profile() -> None:
    profile = defined("bytes")
    bound = spec_for(profile, SPEC)
    assert (bound.model, bound.tokenizer_revision) == (profile.name, profile.tokenizer_revision)
    assert bound.hash != SPEC.hash
