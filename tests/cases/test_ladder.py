"""The reduction ladder rung by rung over one call: what goes, what shortens, what is named only, what is recorded."""

import dataclasses
import json

import pytest

from conspectus.assembly.assemble import Assembly
from conspectus.core.call import Slot
from conspectus.core.item import Kind
from conspectus.core.manifest import Reason, Stage, Verdict
from tests.contract.cases import data, small_case

FILLER = "something that nobody asked about "
RESULT = data("result/1", Kind.TOOL_RESULT, "refund days " + FILLER * 150 + " the last word", source_uri="archive:1")
TOOL = data(
    "tool/look",
    Kind.TOOL_SCHEMA,
    json.dumps({"name": "look", "description": "refund days " + FILLER * 60, "parameters": {"type": "object"}}),
)
IDLE = data("kb/idle", Kind.EVIDENCE, FILLER * 40)
ITEMS = (RESULT, TOOL, IDLE)


TRANSFORMED = (Verdict.TRANSFORMED, Reason.REDUCED)
GONE = (Verdict.OMITTED, Reason.BUDGET_EXCEEDED)
INSIDE = {(Verdict.KEPT, Reason.FITS), (Verdict.KEPT, Reason.VALUE)}


def called(limit: int) -> Assembly:
    return small_case(ITEMS).limited(limit).run()


def ends(assembly: Assembly) -> dict[str, tuple[Verdict, Reason]]:
    """Where each candidate ended: its last decision."""
    return {decision.subject: (decision.verdict, decision.reason) for decision in assembly.manifest.decisions}


def steps(assembly: Assembly) -> dict[str, tuple[str, ...]]:
    """What was done to each item that is in, but not as it came."""
    records = [record for record in assembly.manifest.items if record.transformations]
    return {record.id: tuple(link.step for link in record.transformations) for record in records}


@pytest.fixture(scope="module")
def walk() -> list[Assembly]:
    """The same call from a limit that holds everything down to one that holds no data, each limit below the last."""
    found = [called(1 << 24)]
    while any(ends(found[-1])[item.item_id] != GONE for item in ITEMS):
        found.append(called(found[-1].manifest.input_tokens - 1))
    return found


@pytest.mark.proves("R-STEP-REDUCE", "R-BUDGET-LADDER")
def test_the_ladder_is_walked_rung_by_rung(walk: list[Assembly]) -> None:
    assert walk[0].manifest.input_limit > walk[0].manifest.input_tokens
    seen = [steps(assembly) for assembly in walk]
    assert seen[0] == seen[-1] == {}
    assert {link for each in seen for link in each.items()} == {("result/1", ("shorten",)), ("tool/look", ("names",))}
    assert next(each for each in seen if each) == {"result/1": ("shorten",)}, "schemas become names last"
    for assembly in walk:
        if "tool/look" in steps(assembly):
            assert ends(assembly)["result/1"] in {TRANSFORMED, GONE}
    dropped = next(assembly for assembly in walk if ends(assembly)["kb/idle"] == GONE)
    assert steps(dropped) == {}, "the lowest value per token goes before anything is shortened"
    assert {ends(dropped)["result/1"], ends(dropped)["tool/look"]} <= INSIDE


@pytest.mark.proves("R-STEP-REDUCE", "R-CAUSE-REDUCED")
def test_each_step_is_recorded_with_what_it_was_and_what_it_became(walk: list[Assembly]) -> None:
    for assembly in walk:
        done = steps(assembly)
        reduced = {each.subject for each in assembly.manifest.decisions if each.stage is Stage.REDUCE}
        assert reduced == set(done)
        assert {name for name, end in ends(assembly).items() if end == TRANSFORMED} == set(done)
        for record in assembly.manifest.items:
            for link in record.transformations:
                original = next(item for item in ITEMS if item.item_id == record.id)
                assert link.before == original.content_hash != link.after


@pytest.mark.proves("R-BUDGET-LADDER", "R-BUDGET-POINTER")
def test_a_shortened_result_keeps_both_ends_and_a_named_tool_its_name(walk: list[Assembly]) -> None:
    both = next(assembly for assembly in walk if set(steps(assembly)) == {"result/1", "tool/look"})
    body = both.payload.body
    assert "the whole is archive:1]" in body
    assert "refund days something" in body
    assert "asked about  the last word" in body
    assert '{"name": "look"}' in body
    assert "parameters" not in body


@pytest.mark.proves("R-STEP-REDUCE")
def test_a_ladder_without_a_rung_never_takes_it() -> None:
    case = small_case(ITEMS).limited(1_300)
    reduction = dataclasses.replace(case.spec.policies.reduction, ladder=("drop",))
    spec = case.spec.evolve(policies=dataclasses.replace(case.spec.policies, reduction=reduction))
    assembly = dataclasses.replace(case, spec=spec, memo={}).run()
    assert steps(assembly) == {}
    assert ends(assembly)["result/1"] == GONE


@pytest.mark.proves("R-LAYOUT-SLOTS")
def test_what_is_missing_is_named_and_the_output_says_to_decline() -> None:
    slots = (Slot(name="refund days"), Slot(name="restocking fee"))
    assembly = small_case([data("kb/1", Kind.EVIDENCE, "refund days: 30")], slots=slots).run()
    assert "[Missing evidence] restocking fee\n" in assembly.payload.body
    assert "[Missing evidence] refund days" not in assembly.payload.body
    output = assembly.payload.body.partition("[Output]")[2]
    assert "named as missing" in " ".join(output.split())
    assert "decline that part instead of guessing" in " ".join(output.split())
