"""The one loop of an assembly: select, write, count, and step down the reduction ladder until it is admitted."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conspectus.assembly.fence import escape_points, in_line
from conspectus.assembly.layout import SECTIONS, missing, opening
from conspectus.assembly.order import order
from conspectus.assembly.price import count, price, render
from conspectus.assembly.reduce import reduced, reducible
from conspectus.assembly.select import Selection, select
from conspectus.assembly.serialize import serialize
from conspectus.assembly.table import Arrangement, Context, Draft, Priced, Ranked, Rendition, needs_of
from conspectus.core.call import Slot
from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import Transformation
from conspectus.core.ports import ModelProfile
from conspectus.core.spec import Budget, ContextSpec
from conspectus.errors import MandatoryOverflow
from conspectus.packing.columns import UNBOUNDED, Columns

_KINDS = tuple(Kind)
_KIND_CODES = {kind: code for code, kind in enumerate(_KINDS)}
_SECTION_CODES = {section: code for code, section in enumerate(SECTIONS)}
_NOTHING = len(SECTIONS)
_TOOLED = _NOTHING + 1
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The admitted payload and how it came to be.

    Attributes:
        join_tokens: how far the whole is from the sum of its parts.
        shortened: for an item that was reduced, the link of its chain.
        filled: for each slot, the indices of chosen items that fill it.
    """

    priced: Priced
    selection: Selection
    arrangement: Arrangement
    draft: Draft
    join_tokens: int
    shortened: Mapping[str, Transformation]
    filled: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What stays the same on every rung."""

    ranked: Ranked
    context: Context
    spec: ContextSpec
    profile: ModelProfile
    slots: tuple[str, ...]
    filling: tuple[tuple[int, ...], ...]
    needs: Mapping[int, tuple[int, ...]]
    required: NDArray[np.bool_]
    headings: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    arrangement: Arrangement
    draft: Draft
    filled: tuple[tuple[int, ...], ...]
    absent: tuple[str, ...]


Wanted: TypeAlias = Sequence[tuple[Slot, Sequence[str]]]


def fit(ranked: Ranked, context: Context, spec: ContextSpec, profile: ModelProfile, wanted: Wanted) -> Fitted:
    """Choose, write and count until the exact payload is within the limits.

    `wanted` names for each slot the items that would fill it, most valuable first.

    Raises:
        MandatoryOverflow: what is mandatory does not fit even alone, or not in its kind's share.
    """
    priced = price(ranked.items, context, profile)
    needs = closures(ranked.items, context.conflict)
    index_of = {item.item_id: index for index, item in enumerate(ranked.items)}
    points = escape_points(profile.control_strings)
    frame = _Frame(
        ranked=ranked,
        context=context,
        spec=spec,
        profile=profile,
        slots=tuple(in_line(slot.name, points) for slot, _ in wanted),
        filling=tuple(tuple(index_of[name] for name in names if name in index_of) for _, names in wanted),
        needs=needs,
        required=_required(ranked.items, needs),
        headings=_headings(priced, profile),
    )
    links: dict[str, Transformation] = {}
    result: Fitted | None = None
    for rung in spec.policies.reduction.ladder:
        if rung != "drop":
            targets = frame.required if result is None else ~result.selection.chosen
            priced, taken = _step_down(priced, frame, rung, targets)
            if not taken and result is not None:
                continue
            links.update(taken)
        result = _admit(priced, frame, links) or result
        if result is not None and bool(result.selection.chosen.all()):
            break
    if result is None:
        raise _overflow(priced, frame)
    _check_shares(priced, frame)
    return result


def admitted(budget: Budget, profile: ModelProfile) -> int:
    """Tokens our count may come to: what the budget allows, less the profile's margin of error."""
    return int(budget.allowed / (1.0 + profile.margin))


def _admit(priced: Priced, frame: _Frame, links: Mapping[str, Transformation]) -> Fitted | None:
    """The best payload of this rung that its exact count admits; None when the required items are too large.

    Where a tokenizer's counts do not add up exactly, the excess is taken off the room and the choice made again; the
    last attempt is the required items alone, whose exact count is known to fit.
    """
    allowed = admitted(frame.spec.budget, frame.profile)
    base = _write(priced, frame, frame.required)
    columns = _columns(priced, frame, _opened(base.draft))
    room = allowed - base.draft.tokens
    for _ in range(_ATTEMPTS):
        if room < 0:
            break
        selection = select(columns, room)
        written = _write(priced, frame, selection.chosen)
        if written.draft.tokens <= allowed:
            return Fitted(
                priced=priced,
                selection=selection,
                arrangement=written.arrangement,
                draft=written.draft,
                join_tokens=written.draft.tokens - _predicted(priced, frame, base, written, selection),
                shortened=dict(links),
                filled=written.filled,
            )
        room -= written.draft.tokens - allowed
    if base.draft.tokens > allowed:
        return None
    return Fitted(
        priced=priced,
        selection=select(replace(columns, tokens=np.where(frame.required, columns.tokens, UNBOUNDED)), 0),
        arrangement=base.arrangement,
        draft=base.draft,
        join_tokens=0,
        shortened=dict(links),
        filled=base.filled,
    )


def _write(priced: Priced, frame: _Frame, chosen: NDArray[np.bool_]) -> _Written:
    indices = np.flatnonzero(chosen).tolist()
    sections = [rendition.section for rendition in priced.renditions]
    arrangement = order(priced.items, sections, indices, frame.context.conflict)
    present = set(indices)
    filled = tuple(tuple(i for i in candidates if i in present) for candidates in frame.filling)
    absent = tuple(name for name, by in zip(frame.slots, filled, strict=True) if not by)
    draft = serialize(arrangement, priced.renditions, absent, frame.profile)
    return _Written(arrangement=arrangement, draft=draft, filled=filled, absent=absent)


def _predicted(priced: Priced, frame: _Frame, base: _Written, written: _Written, selection: Selection) -> int:
    """Tokens of the payload as the sum of its parts: base, added items, what they open, slots they fill."""
    added = int(priced.tokens[selection.chosen & ~frame.required].sum())
    before, after = _opened(base.draft), _opened(written.draft)
    opened = int(frame.headings[list(after - before)].sum()) - int(frame.headings[list(before - after)].sum())
    named = [missing(name) for name in base.absent if name not in written.absent]
    return base.draft.tokens + added + opened - int(frame.profile.count_blocks(named).sum())


def _opened(draft: Draft) -> frozenset[int]:
    """Codes of everything a draft has paid for opening."""
    codes = frozenset(_SECTION_CODES[section] for section in draft.sections)
    return codes | {_TOOLED} if draft.prompt.tools else codes


def _headings(priced: Priced, profile: ModelProfile) -> NDArray[np.int64]:
    """Tokens of opening each section, nothing, or the preamble that a chat's first tool brings with it."""
    costs = np.zeros(_TOOLED + 1, dtype=np.int64)
    costs[:_NOTHING] = profile.count_blocks([opening(section) for section in SECTIONS])
    tool = next((rendition.tool for rendition in priced.renditions if rendition.tool), None)
    if tool is not None:
        prompt = serialize((), (), (), profile).prompt
        with_tool = profile.count(replace(prompt, tools=(tool,)))
        costs[_TOOLED] = with_tool - profile.count(prompt) - int(profile.count_tools([tool])[0])
    return costs


def _openings(rendition: Rendition) -> tuple[int, int]:
    """A turn stands under no heading; a tool with its schema opens its section and the preamble."""
    section = _NOTHING if rendition.turns else _SECTION_CODES[rendition.section]
    return section, _TOOLED if rendition.tool else _NOTHING


def _columns(priced: Priced, frame: _Frame, opened: frozenset[int]) -> Columns:
    budget = frame.spec.budget
    minimum = np.zeros(len(_KINDS), dtype=np.int64)
    maximum = np.full(len(_KINDS), UNBOUNDED, dtype=np.int64)
    for share in budget.shares:
        code = _KIND_CODES[share.kind]
        minimum[code] = share.minimum
        maximum[code] = UNBOUNDED if share.maximum is None else share.maximum
    headings = frame.headings.copy()
    headings[list(opened)] = 0
    return Columns(
        values=frame.ranked.values,
        tokens=priced.tokens,
        kinds=np.array([_KIND_CODES[item.kind] for item in priced.items], dtype=np.int64),
        openings=np.array([_openings(rendition) for rendition in priced.renditions], dtype=np.int64),
        required=frame.required,
        needs=frame.needs,
        headings=headings,
        minimum=minimum,
        maximum=maximum,
        slots=frame.filling,
        floor=frame.spec.policies.ranking.floor,
    )


def closures(items: Sequence[ContextItem], conflict: Mapping[str, str]) -> dict[int, tuple[int, ...]]:
    """For every item that is not alone: all items that have to be in with it.

    A dependency binds one way; a turn's call and its results, and the sides of a conflict, bind both ways. What is
    mandatory is bound by no conflict: nothing gets in by contradicting it.
    """
    index_of = {item.item_id: index for index, item in enumerate(items)}
    edges: dict[int, set[int]] = {}
    groups: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        for name in needs_of(item):
            edges.setdefault(index, set()).add(index_of[name])
        if item.parent_call_id and items[index_of[item.parent_call_id]].kind is Kind.HISTORY:
            edges.setdefault(index_of[item.parent_call_id], set()).add(index)
        if item.item_id in conflict:
            groups.setdefault(conflict[item.item_id], []).append(index)
    for members in groups.values():
        for member in members:
            if not items[member].mandatory:
                edges.setdefault(member, set()).update(members)
    return {index: _reachable(index, edges) for index in edges}


def _reachable(start: int, edges: Mapping[int, set[int]]) -> tuple[int, ...]:
    seen = {start}
    frontier = [start]
    while frontier:
        beyond = edges.get(frontier.pop(), set()) - seen
        seen |= beyond
        frontier.extend(beyond)
    return tuple(sorted(seen - {start}))


def _required(items: Sequence[ContextItem], needs: Mapping[int, tuple[int, ...]]) -> NDArray[np.bool_]:
    """What must be in: the mandatory, what is pinned by an open obligation, and all that those need."""
    required = np.zeros(len(items), dtype=np.bool_)
    for index, item in enumerate(items):
        if item.mandatory or item.signal("pinned"):
            required[[index, *needs.get(index, ())]] = True
    return required


def _step_down(
    priced: Priced, frame: _Frame, rung: str, targets: NDArray[np.bool_]
) -> tuple[Priced, dict[str, Transformation]]:
    """The candidates with every target one rung lower where that makes it cheaper, and what was done to which."""
    items, renditions = list(priced.items), list(priced.renditions)
    points = escape_points(frame.profile.control_strings)
    lower: dict[int, ContextItem] = {}
    for index in np.flatnonzero(targets).tolist():
        cost = int(priced.tokens[index])
        if reducible(items[index], rung) and (
            short := reduced(items[index], rung, frame.spec.policies.reduction, cost)
        ):
            lower[index] = short
            rendition = render(short, frame.context, frame.profile.form, points)
            renditions[index] = replace(rendition, tool=None) if rung == "names" else rendition
    tokens = priced.tokens.copy()
    if lower:
        tokens[list(lower)] = count([renditions[index] for index in lower], frame.profile)
    links: dict[str, Transformation] = {}
    for index, short in lower.items():
        if tokens[index] >= priced.tokens[index]:
            tokens[index], renditions[index] = priced.tokens[index], priced.renditions[index]
            continue
        links[short.item_id] = Transformation(
            step=rung, before=items[index].content_hash, after=short.content_hash, detail=short.source_uri
        )
        items[index] = short
    return Priced(items=tuple(items), renditions=tuple(renditions), tokens=tokens), links


def _overflow(priced: Priced, frame: _Frame) -> MandatoryOverflow:
    needed = _write(priced, frame, frame.required).draft.tokens
    allowed = admitted(frame.spec.budget, frame.profile)
    wanted = math.ceil(needed * (1.0 + frame.profile.margin))
    wanted += int(wanted / (1.0 + frame.profile.margin)) < needed  # a product that rounds down
    changes = frame.spec.budget.changes_for(wanted)
    return MandatoryOverflow(needed, allowed, _sizes(priced, np.flatnonzero(frame.required)), changes)


def _check_shares(priced: Priced, frame: _Frame) -> None:
    for share in frame.spec.budget.shares:
        own = [index for index in np.flatnonzero(frame.required).tolist() if priced.items[index].kind is share.kind]
        needed = int(priced.tokens[own].sum())
        if share.maximum is not None and needed > share.maximum:
            changes = ((f"share of {share.kind}", needed),)
            raise MandatoryOverflow(needed, share.maximum, _sizes(priced, np.array(own)), changes)


def _sizes(priced: Priced, indices: NDArray[np.int64]) -> list[tuple[str, int]]:
    places: list[int] = indices.tolist()
    sizes = [(priced.items[index].item_id, int(priced.tokens[index])) for index in places]
    return sorted(sizes, key=lambda size: (-size[1], size[0]))
