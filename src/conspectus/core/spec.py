"""ContextSpec, the versioned contract of one assembly: limits, shares, policies and the revisions behind them."""

import dataclasses
from dataclasses import dataclass, field
from operator import itemgetter

from conspectus.core.call import Form
from conspectus.core.canonical import canonical_hash
from conspectus.core.item import Kind
from conspectus.errors import IncompatibleSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A kind's part of the input limit, in tokens; `maximum` None means no bound of its own."""

    kind: Kind
    minimum: int = 0
    maximum: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one call, in tokens.

    `input_limit` bounds the input (W_in); input + `output_reserve` (R) + `loop_reserve` (L, room for the next tool
    call and its result) never exceed `window` (W_total).
    """

    window: int
    input_limit: int
    output_reserve: int = 0
    loop_reserve: int = 0
    shares: tuple[Share, ...] = ()

    @property
    def allowed(self) -> int:
        """Tokens the payload may have: min(W_in, W_total - R - L)."""
        return min(self.input_limit, self.window - self.output_reserve - self.loop_reserve)

    def check(self) -> None:
        """Refuse limits under which no payload can exist.

        Raises:
            IncompatibleSpec: a limit or reserve is impossible, or shares contradict each other or the limit.
        """
        if self.window <= 0:
            raise IncompatibleSpec("window", f"{self.window} tokens; it must be at least 1")
        if self.input_limit <= 0:
            raise IncompatibleSpec("input limit", f"{self.input_limit} tokens; it must be at least 1")
        for name, reserve in self._reserves:
            if reserve < 0:
                raise IncompatibleSpec(name, f"{reserve} tokens; it cannot be negative, 0 keeps nothing")
        if self.output_reserve + self.loop_reserve >= self.window:
            raise IncompatibleSpec(
                self._reserves[0][0],
                f"output reserve {self.output_reserve:,} + loop reserve {self.loop_reserve:,} leave nothing of the "
                f"window of {self.window:,} tokens; lower a reserve",
            )
        self._check_shares()

    def _check_shares(self) -> None:
        """Refuse a share that is no range, a kind with two, and minima that are more than there is."""
        kinds: set[Kind] = set()
        for share in self.shares:
            shown = f"{share.kind}={share.minimum}:{'' if share.maximum is None else share.maximum}"
            if share.minimum < 0 or (share.maximum is not None and share.maximum < share.minimum):
                raise IncompatibleSpec("share", f"{shown} is no range; its minimum is 0 or more, its maximum no less")
            if share.kind in kinds:
                raise IncompatibleSpec("share", f"{share.kind} is given twice; give it once, as KIND=MIN:MAX")
            kinds.add(share.kind)
        least = sum(share.minimum for share in self.shares)
        if least > self.allowed:
            listed = ", ".join(f"{share.kind} {share.minimum:,}" for share in self.shares if share.minimum)
            message = (
                f"the minima come to {least:,} tokens ({listed}) and exceed the {self.allowed:,} allowed; lower one"
            )
            raise IncompatibleSpec("share", message)

    def changes_for(self, tokens: int) -> tuple[tuple[str, int], ...]:
        """Settings, each with the nearest value that allows `tokens`; of the reserves, the larger one changes first.

        Empty where the window itself is smaller.
        """
        if tokens > self.window:
            return ()
        changes = [("input limit", tokens)] if self.input_limit < tokens else []
        lacking = tokens - (self.window - self.output_reserve - self.loop_reserve)
        for name, reserve in self._reserves:
            if lacking > 0 and reserve > 0:
                changes.append((name, max(0, reserve - lacking)))
                lacking -= reserve
        return tuple(changes)

    @property
    def _reserves(self) -> list[tuple[str, int]]:
        """The reserves by name, the larger first."""
        reserves = [("output reserve", self.output_reserve), ("loop reserve", self.loop_reserve)]
        return sorted(reserves, key=itemgetter(1), reverse=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPolicy:
    """Weights of the components of an item's value; each component lies in 0..1.

    Attributes:
        relevance: weight of how well the text answers the question; see `signals`.
        recency: weight of 2^(-age / half_life).
        turns: weight of a turn's place in its conversation, for history, in the place of `recency`.
        prior: weight of the signal `prior`; an item without one is valued by the other components alone.
        half_life: seconds after which recency has halved.
        signals: weights of the signals that relevance is made of (`relevance/signals.py`, docs/ranking.md); their
            sum is the logarithm of a likelihood.
        size: power of a text's length that its worth grows with.
        sharpness: exponent of the weighted mean. Selection is by value per token; above 1, a short text that matches a
            little no longer beats a long one that matches well.
        stable: least value of a stable item, so that examples and the skeleton of a project (README, settings, outline)
            are seen with every question that leaves room for them.
        floor: items with less value are left out as `below_relevance`; 0 leaves nothing out.
    """

    revision: str = "ranking-2"
    relevance: float = 0.7
    recency: float = 0.02
    turns: float = 0.6
    prior: float = 0.2
    half_life: float = 14 * 86400.0
    signals: tuple[tuple[str, float], ...] = (
        ("words", 1.86),
        ("part", 2.32),
        ("around", 1.83),
        ("coverage", 4.48),
        ("group", 2.6),
        ("answer", 0.22),
        ("question", -2.8),
        ("speaker", 0.5),
        ("time", 1.23),
        ("length", 1.16),
    )
    size: float = 0.75
    sharpness: float = 2.0
    stable: float = 0.6
    floor: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderingPolicy:
    """Where each kind stands; `skeleton-1` is the stable prefix first, then task, state, evidence, context, output."""

    revision: str = "skeleton-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReductionPolicy:
    """What happens over the limit, in this order; nothing mandatory is ever reduced.

    Attributes:
        ladder: the rungs: `drop` the lowest value per token, `shorten` tool results to head, tail and a pointer,
            `names` instead of tool schemas.
        head, tail: tokens a shortened tool result keeps at its start and end, as an upper bound.
    """

    revision: str = "reduction-1"
    ladder: tuple[str, ...] = ("drop", "shorten", "names")
    head: int = 160
    tail: int = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustPolicy:
    """How data is kept data: fencing, cleaning, near-duplicates and conflicts.

    Attributes:
        near_duplicate: resemblance from which two texts are compared for being the same, 0..1.
    """

    revision: str = "trust-1"
    near_duplicate: float = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """Every policy of an assembly; named, revisioned, and all part of the spec's hash."""

    ranking: RankingPolicy = field(default_factory=RankingPolicy)
    ordering: OrderingPolicy = field(default_factory=OrderingPolicy)
    reduction: ReductionPolicy = field(default_factory=ReductionPolicy)
    trust: TrustPolicy = field(default_factory=TrustPolicy)
    instruction: str = "instruction-1"
    demonstration: str = "demonstration-1"
    compaction: str = "none"
    retention: str = "keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSpec:
    """The contract of one assembly; any change of any part is another `hash`."""

    budget: Budget
    model: str = ""
    model_revision: str = ""
    tokenizer_revision: str = ""
    template_revision: str = ""
    form: Form = Form.TEXT
    policies: Policies = field(default_factory=Policies)
    tool_catalog_revision: str = ""
    retrieval_spec_hash: str = ""
    tool_server_identities: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical bytes."""
        return canonical_hash(self)

    def evolve(self, **changes: object) -> "ContextSpec":
        """A copy with `changes`; the original stays as it is."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]
