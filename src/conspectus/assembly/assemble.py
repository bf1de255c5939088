"""The conductor: the whole walk from request to payload on one page; it knows only their order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from conspectus.assembly.authorize import authorize
from conspectus.assembly.bound import bound
from conspectus.assembly.check import check
from conspectus.assembly.clean import clean
from conspectus.assembly.contend import contend
from conspectus.assembly.dedupe import dedupe
from conspectus.assembly.fit import fit
from conspectus.assembly.gather import gather
from conspectus.assembly.rank import rank
from conspectus.assembly.record import Walk, record
from conspectus.assembly.relate import relate
from conspectus.assembly.resolve import resolve
from conspectus.assembly.serialize import seal
from conspectus.assembly.table import Context
from conspectus.core.call import Caller, Payload, Request
from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import ContextManifest, Offer
from conspectus.core.ports import ModelProfile, Source
from conspectus.core.spec import ContextSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """What an assembly yields: the payload, why it is so, and the authorized candidates it was made from."""

    payload: Payload
    manifest: ContextManifest
    candidates: tuple[ContextItem, ...]


def assemble(
    sources: Sequence[Source],
    request: Request,
    caller: Caller,
    spec: ContextSpec,
    profile: ModelProfile,
    now: datetime,
) -> Assembly:
    """Ask the sources and compose what they offer; see `compose` for what can go wrong."""
    return compose(gather(sources, request, caller, now), request, caller, spec, profile, now)


def compose(
    offers: Sequence[Offer],
    request: Request,
    caller: Caller,
    spec: ContextSpec,
    profile: ModelProfile,
    now: datetime,
) -> Assembly:
    """Make the payload for `request` from what was gathered; the same arguments give the same bytes.

    Raises:
        SpecError: the spec names other revisions than the profile's, or impossible limits.
        AssemblyError: the mandatory items do not fit, are denied, or lack a dependency.
        InputError: two candidates have the same id.
    """
    resolve(spec, profile)
    allowed = authorize(offers, caller, now)
    bounded = bound(allowed.items)
    checked = check(bounded.items)
    unique = dedupe(checked.items)
    ranked = rank(unique.items, request.question, spec.policies.ranking, now)
    contenders = contend(ranked, spec, request.slots)
    cleaned = clean(contenders.ranked, now)
    related = relate(cleaned.ranked, unique.twins, spec.policies.trust)
    conflict = {name: f"c{number}" for number, group in enumerate(related.conflicts, 1) for name in group}
    wanted = tuple(zip(request.slots, contenders.fillers, strict=True))
    has_tools = any(item.kind is Kind.TOOL_SCHEMA for item in related.ranked.items)
    context = Context(twins=related.twins, conflict=conflict, has_tools=has_tools)
    fitted = fit(related.ranked, context, spec, profile, wanted)
    stages = (allowed, bounded, checked, unique, cleaned, related)
    walk = Walk(
        request=request,
        caller=caller,
        spec=spec,
        now=now,
        allowed=allowed.items,
        decisions=tuple(chain.from_iterable(stage.decisions for stage in stages)),
        lost=contenders.lost,
        refused=allowed.refused,
        chains=cleaned.chains,
        conflicts=related.conflicts,
        conflict=conflict,
    )
    payload = seal(fitted.draft, profile)
    manifest = record(walk, related.ranked, fitted, payload, profile)
    return Assembly(payload=payload, manifest=manifest, candidates=allowed.items)
