"""ContextManifest: why this payload; ids, hashes, counts and reasons, never content."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import FrozenInstanceError, dataclass
from enum import StrEnum
from itertools import accumulate
from typing import cast, overload

import numpy as np
from numpy.typing import NDArray

from conspectus.core.item import ContextItem
from conspectus.core.spec import ContextSpec

SCHEMA_VERSION = 1


class Stage(StrEnum):
    """The step of the walk that decided."""

    GATHER = "gather"
    AUTHORIZE = "authorize"
    CLEAN = "clean"
    DEDUPE = "dedupe"
    RANK = "rank"
    SELECT = "select"
    REDUCE = "reduce"
    SERIALIZE = "serialize"


class Verdict(StrEnum):
    """How a decision ends. A candidate ends in exactly one of kept, transformed, omitted.

    `noted` records a change or finding on the way, `failed` a source that failed alone.
    """

    KEPT = "kept"
    TRANSFORMED = "transformed"
    OMITTED = "omitted"
    NOTED = "noted"
    FAILED = "failed"


class Reason(StrEnum):
    """The closed set of reasons."""

    # left out
    UNAUTHORIZED = "unauthorized"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    BELOW_RELEVANCE = "below_relevance"
    SHARE_EXCEEDED = "share_exceeded"
    BUDGET_EXCEEDED = "budget_exceeded"
    DEPENDENCY_ABSENT = "dependency_absent"
    REDUCED = "reduced"
    SOURCE_FAILED = "source_failed"
    MALFORMED = "malformed"
    UNREADABLE = "unreadable"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    IGNORED = "ignored"
    # kept
    MANDATORY = "mandatory"
    REQUIRED = "required"
    SLOT = "slot"
    SHARE = "share"
    VALUE = "value"
    FITS = "fits"
    # changed or found on the way
    SANITIZED = "sanitized"
    AUTHORITY = "authority"
    REPAIRED = "repaired"
    CONFLICT = "conflict"
    GATHERED = "gathered"
    FROM_FUTURE = "from_future"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What one stage decided about one subject.

    Attributes:
        subject: an item id, or `source/NAME` for a source, or the id a skipped thing would have had.
        tokens: what the subject costs or would have cost; 0 when it was never counted.
        scores: named score parts.
        related: ids of what it duplicates, depends on, conflicts with or lost to.
        detail: a short remark made of names and numbers, never of content.
    """

    subject: str
    stage: Stage
    verdict: Verdict
    reason: Reason
    tokens: int = 0
    scores: tuple[tuple[str, float], ...] = ()
    related: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """Many decisions that differ only in subject and scores, kept as columns.

    Attributes:
        names: one name per column of `scores`.
        scores: shape (len(subjects), len(names)); NaN where a subject has no such score.
    """

    subjects: tuple[str, ...]
    stage: Stage
    verdict: Verdict
    reason: Reason
    names: tuple[str, ...]
    scores: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Let nobody write into the scores any more."""
        self.scores.setflags(write=False)

    def decision(self, index: int) -> Decision:
        """The decision about one subject."""
        row = zip(self.names, self.scores[index].tolist(), strict=True)
        return Decision(
            subject=self.subjects[index],
            stage=self.stage,
            verdict=self.verdict,
            reason=self.reason,
            scores=tuple((name, score) for name, score in row if score == score),
        )


class Ledger(Sequence[Decision]):
    """Decisions in order: single ones, then runs; a run's decisions are made when they are looked at."""

    __slots__ = ("_starts", "runs", "singles")

    singles: tuple[Decision, ...]
    runs: tuple[Run, ...]
    _starts: tuple[int, ...]

    def __init__(self, singles: Iterable[Decision], runs: Iterable[Run] = ()) -> None:
        object.__setattr__(self, "singles", tuple(singles))
        object.__setattr__(self, "runs", tuple(runs))
        lengths = (len(self.singles), *(len(run.subjects) for run in self.runs))
        object.__setattr__(self, "_starts", tuple(accumulate(lengths)))

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to {name!r}")

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, index: int) -> Decision: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Decision, ...]: ...

    def __getitem__(self, index: int | slice) -> Decision | tuple[Decision, ...]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        if place < len(self.singles):
            return self.singles[place]
        number = bisect_right(self._starts, place) - 1
        return self.runs[number].decision(place - self._starts[number])

    def __iter__(self) -> Iterator[Decision]:
        yield from self.singles
        for run in self.runs:
            yield from map(run.decision, range(len(run.subjects)))

    def ending(self, verdicts: Sequence[Verdict]) -> Iterator[Decision]:
        """The decisions with one of these verdicts, in order; runs with another are not looked at."""
        yield from (decision for decision in self.singles if decision.verdict in verdicts)
        for run in self.runs:
            if run.verdict in verdicts:
                yield from map(run.decision, range(len(run.subjects)))

    def counts(self) -> Counter[tuple[Verdict, Reason]]:
        """How many decisions there are of each verdict and reason."""
        counts = Counter((decision.verdict, decision.reason) for decision in self.singles)
        for run in self.runs:
            counts[run.verdict, run.reason] += len(run.subjects)
        return counts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        theirs = cast("Sequence[object]", other)
        return len(self) == len(theirs) and all(a == b for a, b in zip(self, theirs, strict=True))

    def __hash__(self) -> int:
        return hash((self.singles, self._starts))


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """What a stage hands on, and every decision it made on the way."""

    items: tuple[ContextItem, ...]
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What one source or all of them offer.

    Attributes:
        items: the candidates.
        decisions: what was skipped, repaired or failed, with the reason.
        refused: per source, how many candidates the source itself kept from this caller.
    """

    items: tuple[ContextItem, ...] = ()
    decisions: tuple[Decision, ...] = ()
    refused: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one source offered, under the source's own name."""

    source: str
    gathered: Gathered


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformation:
    """One link in the chain from the source's text to the payload's."""

    step: str
    before: str
    after: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRecord:
    """An item of the payload.

    Attributes:
        hash: SHA-256 of the content as the source holds it.
        tokens: exact tokens it adds to the payload, frame included.
        position: 0-based place in the payload.
        section: heading it stands under.
        derived_from: ids it was made from.
    """

    id: str
    hash: str
    tokens: int
    position: int
    kind: str
    role: str
    authority: str
    section: str
    source_uri: str
    source_version: str
    observed_at: str
    mandatory: bool = False
    dependencies: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    conflict: str = ""
    transformations: tuple[Transformation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRecord:
    """Whether one required piece of evidence is in the payload, and by which items."""

    name: str
    filled_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextManifest:
    """Everything needed to say why this payload, and to rebuild it from the archive.

    Attributes:
        request_id: hash of spec, caller, moment and candidates: the same call has the same id.
        assembled_at: the moment of the call, ISO 8601 UTC.
        input_tokens: tokens of the serialized payload: items + scaffold_tokens + join_tokens.
        scaffold_tokens: headings, fixed sentences and the template around the items.
        join_tokens: tokens by which the payload differs from the sum of its parts; 0 where frames are certified.
        exactness: `exact` or `estimated`; estimated counts carry `margin`, a fraction of input_tokens.
        refused: per source, how many candidates this caller may not read.
        price: value per token at which the budget was sold out, 0 when everything fitted.
        value: worth of everything that entered and did not have to.
        bound: no choice of whole items could be worth more under this limit; `value` / `bound` is how near it came.
        candidates: archive key of the authorized candidates.
        alarms: what an operator should look at.
    """

    schema_version: int = SCHEMA_VERSION
    request_id: str
    spec_hash: str
    spec: ContextSpec
    principal: str
    tenant: str
    groups: tuple[str, ...] = ()
    assembled_at: str
    format: str
    model: str
    exactness: str
    margin: float
    input_tokens: int
    input_limit: int
    scaffold_tokens: int
    join_tokens: int
    payload_hash: str
    candidates: str
    items: tuple[ItemRecord, ...]
    decisions: Sequence[Decision]
    refused: tuple[tuple[str, int], ...] = ()
    conflicts: tuple[tuple[str, ...], ...] = ()
    slots: tuple[SlotRecord, ...] = ()
    price: float = 0.0
    value: float = 0.0
    bound: float = 0.0
    alarms: tuple[str, ...] = ()

    @property
    def ledger(self) -> Ledger:
        """The decisions, to be counted and picked from."""
        return self.decisions if isinstance(self.decisions, Ledger) else Ledger(self.decisions)

    def tally(self) -> dict[str, int]:
        """How many candidates were kept, transformed and omitted."""
        counts: Counter[Verdict] = Counter()
        for (verdict, _), count in self.ledger.counts().items():
            counts[verdict] += count
        return {verdict.value: counts[verdict] for verdict in (Verdict.KEPT, Verdict.TRANSFORMED, Verdict.OMITTED)}
