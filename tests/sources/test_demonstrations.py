"""Examples are few, in balance, boundary cases first; format, labels and order belong to the revision."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.call import Caller, Request
from conspectus.core.item import Kind
from conspectus.core.manifest import Gathered, Reason, Verdict
from conspectus.errors import IncompatibleSpec, InputError, UnknownRevision
from conspectus.sources.demonstrations import (
    DemonstrationPolicy,
    DemonstrationSource,
    _Example,
    choose,
    read_demonstrations,
)

EXAMPLES: list[dict[str, object]] = [
    {"input": "refund my order", "output": "refund", "label": "refund"},
    {"input": "refund my orders", "output": "refund", "label": "refund"},
    {"input": "退款吗？", "output": "refund", "label": "refund", "boundary": True, "id": "zh"},
    {"input": "where is it", "output": "track", "label": "track"},
    {"input": "hello", "output": "none", "label": "other", "id": "hi"},
]


def source(path: Path, policy: DemonstrationPolicy | None = None, *, records: object = None) -> DemonstrationSource:
    lines = EXAMPLES if records is None else records
    assert isinstance(lines, list)
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return read_demonstrations(path, policy)


def gather(made: DemonstrationSource) -> Gathered:
    return made.gather(Request(question="?"), Caller(), datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.proves("R-SOURCE-DEMONSTRATIONS")
def test_labels_are_in_balance_and_the_boundary_case_is_there(tmp_path: Path) -> None:
    gathered = gather(source(tmp_path / "e", DemonstrationPolicy(limit=3)))
    assert [item.item_id for item in gathered.items] == ["example/zh", "example/4", "example/hi"]
    assert {item.kind for item in gathered.items} == {Kind.DEMONSTRATION}
    assert gathered.items[0].content == "Label: refund\nInput:\n退款吗？\nOutput:\nrefund"
    assert [item.signal("order") for item in gathered.items] == [0.0, 1.0, 2.0]
    assert [(d.subject, d.verdict, d.reason) for d in gathered.decisions] == [
        ("example/1", Verdict.OMITTED, Reason.SHARE_EXCEEDED),
        ("example/2", Verdict.OMITTED, Reason.SHARE_EXCEEDED),
    ]


def test_examples_can_be_shown_by_label(tmp_path: Path) -> None:
    gathered = gather(source(tmp_path / "e", DemonstrationPolicy(limit=9, order="label")))
    assert [item.item_id for item in gathered.items] == [
        "example/hi",
        "example/1",
        "example/2",
        "example/zh",
        "example/4",
    ]
    assert gathered.decisions == ()


@pytest.mark.proves("R-SOURCE-DEMONSTRATIONS")
def test_format_label_order_and_content_belong_to_the_revision(tmp_path: Path) -> None:
    policies = [
        None,
        DemonstrationPolicy(limit=2),
        DemonstrationPolicy(form="{input} -> {output}"),
        DemonstrationPolicy(order="label"),
        DemonstrationPolicy(revision="mine"),
    ]
    revisions = {source(tmp_path / "e", policy).revision for policy in policies}
    relabelled = [{**EXAMPLES[0], "label": "money"}, *EXAMPLES[1:]]
    revisions.add(source(tmp_path / "e", records=relabelled).revision)
    revisions.add(source(tmp_path / "e", records=EXAMPLES[::-1]).revision)
    assert len(revisions) == len(policies) + 2


@pytest.mark.parametrize("form", ["{question}", "{0}", "{", "{input.nothing}", "{input[0]}", "{label:z}"])
def test_a_form_that_cannot_be_written_is_refused_at_once(form: str, tmp_path: Path) -> None:
    with pytest.raises(IncompatibleSpec, match="cannot be written"):
        source(tmp_path / "e", DemonstrationPolicy(form=form))


def test_braces_in_an_example_are_text(tmp_path: Path) -> None:
    record = {"input": "{output} {0} {", "output": "}"}
    (item,) = gather(source(tmp_path / "e", records=[record])).items
    assert item.content == "Input:\n{output} {0} {\nOutput:\n}"


def test_policies_that_cannot_be_met_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownRevision):
        source(tmp_path / "e", DemonstrationPolicy(order="random"))
    with pytest.raises(IncompatibleSpec, match="at least 0"):
        source(tmp_path / "e", DemonstrationPolicy(limit=-1))
    assert gather(source(tmp_path / "e", DemonstrationPolicy(limit=0))).items == ()


BAD: dict[str, tuple[object, str, str]] = {
    "no output": ({"input": "a"}, "output", "missing"),
    "a blank input": ({"input": " ", "output": "b"}, "input", "is blank"),
    "a blank output": ({"input": "a", "output": "\n"}, "output", "is blank"),
    "a blank id": ({"input": "a", "output": "b", "id": " "}, "id", "is blank"),
    "an id that cannot be shown": ({"input": "a", "output": "b", "id": "x\ny"}, "id", "control or invisible"),
    "misspelt": ({"input": "a", "output": "b", "lable": "x"}, "lable", "did you mean `label`?"),
    "twice": ({"input": "a", "output": "b", "id": "1"}, "id", "is on line 1 already"),
}


@pytest.mark.parametrize("fault", BAD)
def test_the_first_bad_line_is_named_with_its_field(fault: str, tmp_path: Path) -> None:
    record, field, words = BAD[fault]
    with pytest.raises(InputError) as refused:
        source(tmp_path / "e", records=[EXAMPLES[0], record])
    assert (refused.value.line, refused.value.field) == (2, field)
    assert words in str(refused.value)


@given(
    st.lists(
        st.builds(_Example, input=st.text(max_size=9), output=st.just("o"), label=st.sampled_from("abc")), max_size=9
    ),
    st.integers(0, 10),
)
def test_a_choice_is_as_large_as_it_may_be_in_order_and_in_balance(examples: list[_Example], limit: int) -> None:
    chosen = choose(examples, limit)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(limit, len(examples))
    shown = [sum(examples[index].label == label for index in chosen) for label in "abc"]
    given_ = [sum(example.label == label for example in examples) for label in "abc"]
    assert all(have == had or have + 1 >= max(shown) for have, had in zip(shown, given_, strict=True))
