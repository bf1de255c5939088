"""Labelled examples: few, diverse, covering the boundary cases; which ones, and in what order, is a policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from conspectus.core.call import Caller, Request
from conspectus.core.canonical import canonical_hash, text_hash
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Decision, Gathered, Reason, Stage, Verdict
from conspectus.errors import IncompatibleSpec, InputError, UnknownRevision
from conspectus.sources.reading import deceives, decode_line, numbered_lines, read_bytes, refuse_named_twice

_GRAM = 3
_COMPARED = 2_000
_ORDERS = ("given", "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemonstrationPolicy:
    """How many examples are shown, how each is written, and in which order.

    Attributes:
        limit: examples shown at most.
        form: written with the fields `label`, `input` and `output`.
        order: `given` as in the file, or `label` by label and then as in the file.
    """

    revision: str = "demonstration-1"
    limit: int = 4
    form: str = "Input:\n{input}\nOutput:\n{output}"
    order: str = "given"


class _Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`id` is the number of its line where the file gives none."""

    input: str
    output: str
    label: str = ""
    boundary: bool = False
    id: str = ""


class DemonstrationSource:
    """The chosen examples of one file.

    Attributes:
        revision: of the policy and of what it chose: content, format, labels and order.

    Raises:
        UnknownRevision: the policy's order is not known.
        IncompatibleSpec: the policy's limit is negative, or its form names a field that no example has.
    """

    name = "examples"

    def __init__(self, examples: Sequence[_Example], policy: DemonstrationPolicy, uri: str) -> None:
        self._examples = tuple(examples)
        self._policy = policy
        self._uri = uri
        if policy.order not in _ORDERS:
            raise UnknownRevision("order of examples", policy.order, _ORDERS)
        if policy.limit < 0:
            raise IncompatibleSpec("examples", f"a limit of {policy.limit}; it must be at least 0")
        _check_form(policy.form)
        chosen = choose(self._examples, policy.limit)
        if policy.order == "label":
            chosen = sorted(chosen, key=lambda index: (self._examples[index].label, index))
        self._chosen = tuple(chosen)
        shown = [msgspec.to_builtins(self._examples[index]) for index in self._chosen]
        self.revision = f"{policy.revision}/{canonical_hash((policy, shown))[:16]}"

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:  # noqa: ARG002 - shown to every call alike
        """The chosen examples in order, and a decision for each of the others."""
        items = tuple(self._item(index, place, caller) for place, index in enumerate(self._chosen))
        others = [index for index in range(len(self._examples)) if index not in self._chosen]
        decisions = tuple(
            Decision(
                subject=self._id(index),
                stage=Stage.GATHER,
                verdict=Verdict.OMITTED,
                reason=Reason.SHARE_EXCEEDED,
                detail=f"at most {self._policy.limit} examples are shown",
            )
            for index in others
        )
        return Gathered(items=items, decisions=decisions)

    def _id(self, index: int) -> str:
        return f"example/{self._examples[index].id}"

    def _item(self, index: int, place: int, caller: Caller) -> ContextItem:
        example = self._examples[index]
        label = f"Label: {example.label}\n" if example.label else ""
        content = label + self._policy.form.format(label=example.label, input=example.input, output=example.output)
        return ContextItem(
            item_id=self._id(index),
            kind=Kind.DEMONSTRATION,
            content=content,
            source_uri=self._uri,
            source_version=text_hash(content)[:16],
            authority=Authority.USER,
            trust=Trust.TRUSTED,
            tenant=caller.tenant,
            stable=True,
            signals=(("order", float(place)), ("prior", 1.0)),
        )


def read_demonstrations(path: Path, policy: DemonstrationPolicy | None = None) -> DemonstrationSource:
    """The examples of a JSONL file: {"input", "output", "label"?, "boundary"?, "id"?}.

    Raises:
        InputError: a line is no example, or an id is given twice.
    """
    examples: list[_Example] = []
    lines: dict[str, int] = {}
    for number, line in numbered_lines(read_bytes(path)):
        example = decode_line(line, _Example, path, number)
        refuse_named_twice(line, path, number)
        example = msgspec.structs.replace(example, id=example.id or str(number))
        if deceives(example.id):
            raise InputError(str(path), "holds control or invisible characters", line=number, field="id")
        for field in ("input", "output", "id"):
            if not getattr(example, field).strip():
                raise InputError(str(path), "is blank; an example has an input and an output", line=number, field=field)
        if example.id in lines:
            message = f"{example.id!r} is on line {lines[example.id]} already"
            raise InputError(str(path), message, line=number, field="id")
        lines[example.id] = number
        examples.append(example)
    return DemonstrationSource(examples, policy or DemonstrationPolicy(), f"examples:{path.name}")


def _check_form(form: str) -> None:
    try:
        form.format(label="", input="", output="")
    except (AttributeError, IndexError, KeyError, ValueError) as error:
        message = f"the form {form!r} cannot be written; it holds {{label}}, {{input}} and {{output}} only"
        raise IncompatibleSpec("examples", message) from error


def choose(examples: Sequence[_Example], limit: int) -> list[int]:
    """Indices of `limit` examples, in file order: labels in balance, boundary cases first, then the most different.

    Greedy: each step takes, among the labels shown least, a boundary case if there is one, and of those the example
    whose character trigrams have least in common with what is shown already.
    """
    left = list(range(len(examples)))
    likeness = [0.0] * len(examples)
    shown = dict.fromkeys((example.label for example in examples), 0)
    while left and len(examples) - len(left) < limit:
        best = min(
            left,
            key=lambda index: (
                shown[examples[index].label],
                not examples[index].boundary,
                likeness[index],
                index,
            ),
        )
        left.remove(best)
        shown[examples[best].label] += 1
        taken = _grams(examples[best].input)
        for index in left:
            likeness[index] = max(likeness[index], _overlap(taken, _grams(examples[index].input)))
    return sorted(set(range(len(examples))) - set(left))


def _grams(text: str) -> frozenset[str]:
    """The trigrams of the first 2,000 characters."""
    text = text[:_COMPARED]
    return frozenset(text[start : start + _GRAM] for start in range(max(len(text) - _GRAM + 1, 1)))


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right)
