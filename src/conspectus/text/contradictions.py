"""Whether two short statements contradict each other; it knows the words of `vocabulary`, not the world.

They do if they agree on what they speak about and differ in what they say of it: in a negation, an opposite, a number
or date, or one value after their predicate. If they differ in what comes before it, they speak about something else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise, takewhile
from typing import TypeAlias

from conspectus.text import vocabulary
from conspectus.text.patterns import plain
from conspectus.text.statements import Kind, Span, Token, span_of

_SLOT_TOKENS = 4
_SLOT_CHARACTERS = 8
_LEAST_NAMES = 0.5
_STATES = vocabulary.STATES | {"must", "may"}
_NAMES_VALUE = r"[:：=→]|->"
_PAUSE = r"[,，、]"
_CONDITION_END = r"[,，:：]|\bthen\b"
_PREFIXES = ("un", "in", "im", "ir", "non", "dis")

_Place: TypeAlias = tuple[int, int, int, int]
_Weighed: TypeAlias = tuple[bool, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the differences of two statements amount to.

    Attributes:
        is_contradiction: both cannot hold.
        reason: `negation`, `opposite`, `number` or `value`; without a contradiction `wording`, `addition`, `subject`
            or `unrelated`.
        left: where the left statement differs.
        right: where the right statement does.
    """

    is_contradiction: bool
    reason: str
    left: tuple[Span, ...]
    right: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place at which two statements differ.

    Attributes:
        left: what the left one says there, without what denies it and what may come and go.
        right: what the right one says there.
        denials: how many more words deny it on the left than on the right.
        before: what both say before it in the same sentence.
        after: what both say after it there.
        is_apart: a comma stands before it, as before a name that is called.
        is_told: both sides begin with a predicate, or with what introduces a value, which they have lost by now.
        has_predicate: one of the sides had a predicate or began with what makes an order.
        infinitives: where verbs after `to` end.
        is_condition: it stands in a condition with which the sentence begins.
    """

    left: tuple[Token, ...]
    right: tuple[Token, ...]
    denials: int
    before: tuple[Token, ...]
    after: tuple[Token, ...]
    is_apart: bool
    is_told: bool
    has_predicate: bool
    infinitives: frozenset[int]
    is_condition: bool


def weigh(text: str, left: Sequence[Token], right: Sequence[Token]) -> Finding:
    """Weigh the differences of two statements, given by their tokens; `text` is the left one."""
    matcher = SequenceMatcher(None, [token.form for token in left], [token.form for token in right], autojunk=False)
    places = _joined_places([code[1:] for code in matcher.get_opcodes() if code[0] != "equal"], left)
    changed = {place for a, b, _, _ in places for place in range(a, b)}
    shared = [token for place, token in enumerate(left) if place not in changed]
    is_contradiction, reason = _weigh([_slot(text, left[a:b], right[c:d], shared) for a, b, c, d in places], shared)
    return Finding(
        is_contradiction=is_contradiction,
        reason=reason,
        left=tuple(span for a, b, _, _ in places for span in span_of(left[a:b])),
        right=tuple(span for _, _, c, d in places for span in span_of(right[c:d])),
    )


def _joined_places(places: Sequence[_Place], tokens: Sequence[Token]) -> list[_Place]:
    """Join changes with one character of a Chinese, Japanese or Korean word between them: they change one word."""
    joined: list[_Place] = []
    for place in places:
        if joined:
            a, b, c, d = joined[-1]
            between = tokens[b : place[0]]
            if len(between) == 1 and len(between[0].text) == 1 and between[0].kind is Kind.CONTENT and a < b and c < d:
                joined[-1] = (a, place[1], c, place[3])
                continue
        joined.append(place)
    return joined


def _names(shared: Sequence[Token]) -> float:
    """Return about how many shared words name something: a verb may be a name, a character is half a word."""
    forms = {token.form for token in shared}
    if forms & vocabulary.PRONOUNS and forms & vocabulary.HABITS:
        return 1.0
    nameless = vocabulary.PRONOUNS | vocabulary.PREPOSITIONS | vocabulary.UNITS | _STATES
    words = [t for t in shared if t.kind in (Kind.CONTENT, Kind.NUMBER, Kind.PREDICATE) and t.form not in nameless]
    return sum(0.5 if t.kind is Kind.PREDICATE or (len(t.text) == 1 and not t.text.isascii()) else 1.0 for t in words)


def _slot(text: str, left: Sequence[Token], right: Sequence[Token], shared: Sequence[Token]) -> _Slot:
    """Return what two statements say differently at one place; `text` is the left one."""
    said_left, said_right = (_without(side, (Kind.NEGATION, Kind.IGNORABLE)) for side in (left, right))
    told_left, told_right = _without_lead(said_left), _without_lead(said_right)
    before: tuple[Token, ...] = ()
    after: tuple[Token, ...] = ()
    gap = ""
    if left:
        sentence = [token for token in shared if token.sentence == left[0].sentence]
        before = tuple(token for token in sentence if token.end <= left[0].start)
        after = tuple(token for token in sentence if token.start >= left[-1].end)
        gap = text[before[-1].end - 1 : left[0].start] if before else ""
    return _Slot(
        left=told_left,
        right=told_right,
        denials=sum(token.kind is Kind.NEGATION for token in left) - sum(t.kind is Kind.NEGATION for t in right),
        before=before,
        after=after,
        is_apart=bool(plain(_PAUSE).search(gap)),
        is_told=bool(plain(_NAMES_VALUE).search(gap))
        or (len(told_left) < len(said_left) and len(told_right) < len(said_right)),
        has_predicate=any(t.kind is Kind.PREDICATE or t.form in vocabulary.COMMANDS for t in (*left, *right)),
        infinitives=frozenset(verb.end for to, verb in pairwise(before) if to.text == "to"),
        is_condition=bool(before)
        and before[0].form in vocabulary.CONDITIONS
        and not plain(_CONDITION_END).search(text, before[0].end, left[0].start),
    )


def _without(tokens: Sequence[Token], kinds: Sequence[Kind]) -> tuple[Token, ...]:
    return tuple(token for token in tokens if token.kind not in kinds)


def _without_lead(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return what follows the predicates at the beginning, or all if nothing does."""
    lead = sum(1 for _ in takewhile(lambda token: token.kind is Kind.PREDICATE, tokens))
    return tokens[lead:] or tokens


def _weigh(slots: Sequence[_Slot], shared: Sequence[Token]) -> _Weighed:
    """Say what the differences of two statements amount to."""
    names = _names(shared)
    is_denied = sum(slot.denials for slot in slots) % 2 == 1
    is_said = any(slot.has_predicate for slot in slots) or any(t.kind is Kind.PREDICATE for t in shared)
    is_said = is_said and not any(slot.is_condition for slot in slots if slot.denials)
    if is_denied:
        slots = [_without_manner(slot) for slot in slots]
    said = [slot for slot in slots if slot.left or slot.right]
    if names < _LEAST_NAMES or len(_without(shared, (Kind.NEGATION, Kind.IGNORABLE))) < len(said):
        return False, "unrelated"
    if not said:
        return (True, "negation") if is_denied and is_said else (False, "wording")
    if any(not slot.left or not slot.right for slot in said):
        return False, "addition"
    if is_denied or any(slot.is_condition for slot in said):
        return False, "subject"
    return _weigh_values(said, names)


def _weigh_values(slots: Sequence[_Slot], names: float) -> _Weighed:
    """Say what it amounts to that two statements say one thing here, and another there."""
    if all(map(_is_number, slots)):
        return (True, "number") if all(map(_is_amount, slots)) else (False, "subject")
    if len(slots) > 1 or _is_long(slots[0]):
        return False, "subject"
    if _is_opposite(slots[0]):
        return True, "opposite"
    is_named = all(any(t.form not in vocabulary.PRONOUNS for t in side) for side in (slots[0].left, slots[0].right))
    if names >= 1 and is_named and _is_said(slots[0]):
        return True, "value"
    return False, "subject"


def _without_manner(slot: _Slot) -> _Slot:
    """Return a denied slot without what says how: `can` and `cannot`, `with` and `without` differ in the denial."""
    left, right = (
        tuple(t for t in side if t.kind is not Kind.PREDICATE and t.form not in vocabulary.PREPOSITIONS)
        for side in (slot.left, slot.right)
    )
    return replace(slot, left=left, right=right)


def _is_number(slot: _Slot) -> bool:
    """Say whether both sides are numbers or times, with or without units."""
    return all(
        all(t.kind in (Kind.NUMBER, Kind.SYMBOL) or t.form in vocabulary.UNITS for t in side)
        and any(t.kind is Kind.NUMBER for t in side)
        for side in (slot.left, slot.right)
    )


def _is_amount(slot: _Slot) -> bool:
    """Say whether a number is said of something, measures or counts, and is no part of a name or an address."""
    last = slot.before[-1] if slot.before else None
    if last is not None and last.text in ("第", "#", "/"):
        return False
    if _is_said(slot):
        return True
    follows = (*slot.left[1:], *slot.after[:1])
    if any(token.form in vocabulary.UNITS or token.text in "%‰°" for token in follows):
        return True
    is_label = last is not None and last.kind is Kind.CONTENT and last.form not in vocabulary.PREPOSITIONS
    return not is_label and any(token.kind is Kind.PREDICATE for token in (*slot.before, *slot.after))


def _is_long(slot: _Slot) -> bool:
    return any(
        len(side) > (_SLOT_CHARACTERS if all(len(token.text) == 1 for token in side) else _SLOT_TOKENS)
        for side in (slot.left, slot.right)
    )


def _is_opposite(slot: _Slot) -> bool:
    """Say whether the sides are opposites that are said of something, or are themselves what is said."""
    if len(slot.left) != 1 or len(slot.right) != 1:
        return False
    left, right = slot.left[0], slot.right[0]
    is_pair = frozenset({left.form, right.form}) in vocabulary.OPPOSITES
    if not is_pair and not any(left.text == p + right.text or right.text == p + left.text for p in _PREFIXES):
        return False
    if _is_said(slot) or any(token.kind is Kind.PREDICATE for token in slot.before):
        return not _has_state(slot.after)
    if left.text.isascii():
        is_verb = Kind.PREDICATE in (left.kind, right.kind)
        return is_verb and (left.form in _STATES or not slot.before or not slot.after)
    return bool(slot.before) and not _has_state(slot.after)


def _is_said(slot: _Slot) -> bool:
    """Say whether the sides are said of something named: after a predicate, or after what introduces a value.

    `is` and its like are predicates wherever they stand; `use` is one after its subject, or before its object and more.
    """
    before = [token for token in slot.before if token.kind is not Kind.IGNORABLE]
    if slot.is_told and any(token.kind is Kind.CONTENT and token.form not in vocabulary.PRONOUNS for token in before):
        return True
    if slot.is_apart:
        return False
    first = next((place for place, token in enumerate(before) if token.kind is Kind.PREDICATE), len(before))
    if first == 0:
        is_order = bool(before) and all(token.kind is Kind.PREDICATE for token in before)
        return is_order and any(token.kind is Kind.CONTENT for token in slot.after) and not _has_state(slot.after)
    if not _names_subject(before[:first], before[first:]):
        return False
    if before[-1].form in _STATES:
        return True
    finite = [token for token in before[first:] if token.end not in slot.infinitives]
    return any(token.kind is Kind.PREDICATE for token in finite) and not _has_state(slot.after)


def _names_subject(subject: Sequence[Token], told: Sequence[Token]) -> bool:
    """Say whether something is named by more than a pronoun, or a pronoun's owner has a habit."""
    if any(token.kind is not Kind.SYMBOL and token.form not in vocabulary.PRONOUNS for token in subject):
        return True
    return any(token.form in vocabulary.HABITS for token in told)


def _has_state(tokens: Sequence[Token]) -> bool:
    return any(token.form in _STATES and token.kind is Kind.PREDICATE for token in tokens)
