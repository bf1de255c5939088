"""Generated assemblies: each item is decoded from one number, so that a case is cheap to draw and shrinks to little."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

from hypothesis import event, reject, seed, settings
from hypothesis import strategies as st

from conspectus.assembly.assemble import Assembly, assemble
from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Caller, Form, Request, Slot
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.message import Message, Role, SealedPart, TextPart, ToolCallPart, ToolResultPart
from conspectus.core.spec import Budget, ContextSpec, Policies, RankingPolicy, Share
from conspectus.errors import ContextError
from tests.contract.parts import DefinedProfile, ListSource, defined
from tests.contract.texts import HOSTILE, WORDS, statement

T = TypeVar("T")

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CALLER = Caller(principal="ana", tenant="acme", groups=frozenset({"support"}))
QUESTION = "refund days 退款期限"
CANARY = "canary-7f3a"
SOURCES = ("notes", "files", "chat")
DATA_KINDS = (Kind.EVIDENCE, Kind.NOTE, Kind.MEMORY, Kind.CHECKPOINT, Kind.TOOL_RESULT, Kind.HISTORY)
OTHER_KINDS = (Kind.DEMONSTRATION, Kind.TOOL_SCHEMA, Kind.INSTRUCTION)
TRANSFORMED = frozenset({Kind.TOOL_RESULT, Kind.TOOL_SCHEMA, Kind.HISTORY})


class Digits:
    """A number read digit by digit in mixed radix; 0 everywhere is the plainest choice."""

    def __init__(self, number: int) -> None:
        self._rest = number

    def below(self, bound: int) -> int:
        self._rest, digit = divmod(self._rest, bound)
        return digit

    def of(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def one_in(self, chances: int) -> bool:
        return self.below(chances) == chances - 1


@dataclass(frozen=True)
class Case:
    """Everything one assembly is called with."""

    sources: tuple[ListSource, ...]
    spec: ContextSpec
    profile: DefinedProfile
    request: Request = field(default_factory=lambda: Request(question=QUESTION))
    caller: Caller = CALLER
    now: datetime = NOW
    number: int = 0
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def items(self) -> tuple[ContextItem, ...]:
        return tuple(item for source in self.sources for item in source.items)

    @property
    def readable(self) -> tuple[ContextItem, ...]:
        """What the caller may read and what has not expired, by a rule written here once more."""
        return tuple(item for item in self.items if may_read(item) and not has_expired(item))

    def run(self) -> Assembly:
        """Assemble; raises what the assembly raises."""
        return assemble(self.sources, self.request, self.caller, self.spec, self.profile, self.now)

    def outcome(self) -> Assembly | ContextError:
        """The assembly or its typed refusal; made once, since many invariants are asked of the same case."""
        if "outcome" not in self.memo:
            try:
                self.memo["outcome"] = self.run()
            except ContextError as refusal:
                self.memo["outcome"] = refusal
        outcome: Assembly | ContextError = self.memo["outcome"]
        return outcome

    def limited(self, limit: int) -> "Case":
        """The same call with another input limit."""
        budget = replace(self.spec.budget, input_limit=limit)
        return replace(self, spec=self.spec.evolve(budget=budget), memo={})

    @property
    def roomy(self) -> "Case":
        """The same call with room for everything and no shares; made once."""
        if "roomy" not in self.memo:
            budget = replace(self.spec.budget, input_limit=1 << 24, shares=())
            self.memo["roomy"] = replace(self, spec=self.spec.evolve(budget=budget), memo={})
        return self.memo["roomy"]


def assembled(case: Case) -> Assembly:
    """The assembly of a case; one that is refused with a typed error proves nothing more and is passed over."""
    outcome = case.outcome()
    if isinstance(outcome, ContextError):
        event(type(outcome).__name__)
        reject()
    return outcome


def same_cases(test: T) -> T:
    """Draw the cases every other invariant draws, so that they are assembled once; others where cases are random."""
    return seed(20260601)(test) if settings().derandomize else test


def standing(
    item: ContextItem, by_id: Mapping[str, ContextItem], seen: frozenset[str] = frozenset()
) -> tuple[Authority, bool]:
    """The least authority of an item and all it was made from, and whether all are trusted; the unknown is neither."""
    if item.item_id in seen:
        return Authority.DATA, False
    below = [
        standing(by_id[name], by_id, seen | {item.item_id}) if name in by_id else (Authority.DATA, False)
        for name in item.derived_from
    ]
    trusted = item.trust is Trust.TRUSTED and all(trust for _, trust in below)
    return min([item.authority, *(authority for authority, _ in below)]), trusted


def may_read(item: ContextItem) -> bool:
    return item.tenant == "acme" and (not item.readers or bool(item.readers & {"ana", "support"}))


def has_expired(item: ContextItem) -> bool:
    return item.expires_at is not None and item.expires_at <= NOW


def spec(
    profile: DefinedProfile, limit: int = 1 << 24, shares: tuple[Share, ...] = (), floor: float = 0.0
) -> ContextSpec:
    budget = Budget(window=1 << 25, input_limit=limit, output_reserve=100, loop_reserve=50, shares=shares)
    draft = ContextSpec(
        model="",
        model_revision="",
        tokenizer_revision="",
        template_revision="",
        budget=budget,
        policies=Policies(ranking=RankingPolicy(floor=floor)),
    )
    return spec_for(profile, draft)


def question() -> ContextItem:
    return ContextItem(
        item_id="request/1",
        kind=Kind.REQUEST,
        content=QUESTION,
        authority=Authority.USER,
        trust=Trust.TRUSTED,
        tenant="acme",
        mandatory=True,
    )


def rules(text: str = "Answer from the evidence only.") -> ContextItem:
    return ContextItem(
        item_id="instruction/rules",
        kind=Kind.INSTRUCTION,
        content=text,
        role=Role.SYSTEM,
        authority=Authority.APPLICATION,
        trust=Trust.TRUSTED,
        tenant="acme",
        mandatory=True,
    )


def data(item_id: str, kind: Kind, content: str, **given: Any) -> ContextItem:
    """An item the caller may read, of no authority."""
    return ContextItem(item_id=item_id, kind=kind, content=content, tenant="acme", **given)


def small_case(
    items: Sequence[ContextItem],
    *,
    form: Form = Form.TEXT,
    measure: str = "words",
    budget: Budget | None = None,
    floor: float = 0.0,
    slots: tuple[Slot, ...] = (),
) -> Case:
    """A call with the question, the rules and these items, from one source."""
    profile = defined(measure, form)
    contract = spec(profile, floor=floor)
    if budget is not None:
        contract = contract.evolve(budget=budget)
    source = ListSource(name="store", items=(question(), rules(), *items))
    return Case(sources=(source,), spec=contract, profile=profile, request=Request(question=QUESTION, slots=slots))


def item_from(number: int, place: int, names: Sequence[str], hostile: bool) -> ContextItem:
    """The item a number stands for; `names` are the ids it may refer to."""
    digits = Digits(number)
    kind = digits.of((*DATA_KINDS, Kind.EVIDENCE, *OTHER_KINDS))
    text = _text(digits, hostile)
    item = ContextItem(
        item_id=names[place],
        kind=kind,
        content=text,
        source_uri=f"store:{place % 5}",
        source_version=f"v{digits.below(3)}",
        authority=digits.of((Authority.DATA, Authority.DATA, Authority.USER, Authority.APPLICATION)),
        trust=digits.of((Trust.TRUSTED, Trust.UNTRUSTED)),
        observed_at=digits.of((None, NOW, NOW - timedelta(days=40), NOW + timedelta(days=2))),
        expires_at=digits.of((None, None, None, NOW + timedelta(days=1), NOW)),
        tenant=digits.of(("acme", "acme", "acme", "acme", "acme10")),
        readers=digits.of((frozenset(), frozenset({"support"}), frozenset({"ana", "eve"}), frozenset({"eve"}))),
        stable=digits.one_in(5),
        signals=digits.of(((), (("prior", 0.9),), (("prior", 0.1),), (("order", 2.0), ("turn", 0.5)))),
    )
    return _shaped(_linked(item, digits, names), digits, hostile)


def _text(digits: Digits, hostile: bool) -> str:
    words = [digits.of(WORDS) for _ in range(1 + digits.below(3))]
    if digits.one_in(3):
        words.append(statement(digits.below(4), 30 if digits.below(2) else 14))
        words = words[-1:]
    if hostile:
        words.insert(digits.below(2), digits.of(HOSTILE))
    text = digits.of(("\n", " ")).join(words)
    return text * digits.of((1, 1, 2, 20))


def _linked(item: ContextItem, digits: Digits, names: Sequence[str]) -> ContextItem:
    others = (*names, "absent/1")
    return replace(
        item,
        dependencies=tuple(digits.of(others) for _ in range(digits.of((0, 0, 0, 1, 2)))),
        supersedes=tuple(digits.of(names) for _ in range(digits.of((0, 0, 0, 0, 0, 1)))),
        derived_from=tuple(digits.of(others) for _ in range(digits.of((0, 0, 0, 0, 1, 2)))),
        parent_call_id=digits.of(others) if item.kind is Kind.TOOL_RESULT and digits.below(2) else "",
    )


def _shaped(item: ContextItem, digits: Digits, hostile: bool) -> ContextItem:
    if item.kind is Kind.TOOL_SCHEMA:
        name = item.item_id.replace("/", "_")
        return replace(item, content=f'{{"name":"{name}","description":"looks up {name} for you","parameters":{{}}}}')
    if item.kind is Kind.HISTORY and digits.below(4):
        return replace(item, messages=_turns(item, digits, hostile))
    return item


def _turns(item: ContextItem, digits: Digits, hostile: bool) -> tuple[Message, ...]:
    """One plain turn, or a turn with calls and everything they returned; unanswered only where hostile."""
    shape = digits.below(4 + hostile)
    text = TextPart(text=item.content)
    if shape == 0:
        return (Message(role=Role.USER, parts=(text,)),)
    calls = tuple(
        ToolCallPart(call_id=f"{item.item_id}-{n}", name="look_up", arguments='{"q": "refund"}')
        for n in range(1 + digits.below(2))
    )
    sealed = (SealedPart(raw='{"type":"thinking","signature":"c2ln"}', provider="anthropic", block_type="thinking"),)
    asking = Message(role=Role.ASSISTANT, parts=(*(sealed if shape == 2 else ()), *calls))
    results = tuple(
        Message(role=Role.TOOL, parts=(ToolResultPart(call_id=call.call_id, text=item.content, name=call.name),))
        for call in calls
    )
    if shape == 4:
        return (asking, *results[:-1])
    return (asking, *results)


def conceal(items: Sequence[ContextItem]) -> list[ContextItem]:
    """The same items, with a canary in every text and id of what the caller may not read, and in what names those."""
    hidden = {item.item_id: f"{item.item_id}-{CANARY}" for item in items if not may_read(item)}

    def renamed(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(hidden.get(name, name) for name in names)

    return [
        replace(
            item,
            item_id=hidden.get(item.item_id, item.item_id),
            content=f"{item.content} {CANARY}" if item.item_id in hidden else item.content,
            source_uri=f"{item.source_uri}-{CANARY}" if item.item_id in hidden else item.source_uri,
            dependencies=renamed(item.dependencies),
            supersedes=renamed(item.supersedes),
            derived_from=renamed(item.derived_from),
            parent_call_id=hidden.get(item.parent_call_id, item.parent_call_id),
        )
        for item in items
    ]


def case_from(
    numbers: Sequence[int], setting: int, *, hostile: bool, forms: Sequence[Form], measures: Sequence[str]
) -> Case:
    """The assembly that numbers stand for, one per item and one for the settings."""
    digits = Digits(setting)
    profile = defined(digits.of(measures), digits.of(forms))
    names = tuple(f"{SOURCES[place % 3]}/{place}" for place in range(len(numbers)))
    items = [question(), rules(), *(item_from(number, place, names, hostile) for place, number in enumerate(numbers))]
    items = conceal(items)
    limit = digits.of((1 << 24, 400, 700, 1_200, 2_500, 5_000)) * (4 if profile.name == "bytes" else 1)
    shares = digits.of(
        ((), (Share(kind=Kind.EVIDENCE, maximum=200),), (Share(kind=Kind.NOTE, minimum=50, maximum=150),))
    )
    floor = digits.of((0.0, 0.0, 0.3))
    slots = digits.of(((), (Slot(name="refund days"), Slot(name="unheard of"))))
    sources = tuple(ListSource(name=name, items=tuple(items[n::3])) for n, name in enumerate(SOURCES))
    return Case(
        sources=sources,
        spec=spec(profile, limit, shares, floor),
        profile=profile,
        request=Request(question=QUESTION, slots=slots),
        number=setting,
    )


NUMBER = st.integers(min_value=0, max_value=(1 << 24) - 1)
ALL_MEASURES = ("words", "bytes", "quarters", "ceilings")
ALL_FORMS = (Form.TEXT, Form.OPENAI, Form.ANTHROPIC)


def cases(
    *,
    hostile: bool = True,
    most: int = 8,
    forms: tuple[Form, ...] = ALL_FORMS,
    measures: tuple[str, ...] = ALL_MEASURES,
) -> st.SearchStrategy[Case]:
    """Assemblies of up to `most` generated items beside the question and the rules."""
    return st.builds(_drawn, st.integers(0, most), NUMBER, NUMBER, st.just((hostile, forms, measures)))


@lru_cache(maxsize=1 << 13)
def _drawn(count: int, number: int, setting: int, given: tuple[bool, tuple[Form, ...], tuple[str, ...]]) -> Case:
    hostile, forms, measures = given
    chance = random.Random(number)
    numbers = [chance.getrandbits(80) for _ in range(count)]
    return case_from(numbers, setting, hostile=hostile, forms=forms, measures=measures)
