"""Who may see what: tenant, readers and expiry, before any content is looked at; it ranks and reads nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from conspectus.core.call import Caller
from conspectus.core.item import ContextItem
from conspectus.core.manifest import Decision, Offer, Reason, Stage, Verdict
from conspectus.errors import MandatoryDenied

WITHHELD = "withheld"


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorized:
    """What this caller may see.

    Attributes:
        items: the readable, unexpired candidates; only `authorize` makes this value.
        refused: per source, how many candidates were kept from the caller.
    """

    items: tuple[ContextItem, ...]
    decisions: tuple[Decision, ...]
    refused: tuple[tuple[str, int], ...]


def authorize(offers: Sequence[Offer], caller: Caller, now: datetime) -> Authorized:
    """Keep what the caller may read now; of the rest remain one number per source and no id.

    Raises:
        MandatoryDenied: a mandatory item is unreadable or expired.
    """
    names = caller.names
    items: list[ContextItem] = []
    decisions: list[Decision] = []
    refused: dict[str, int] = {}
    hidden: set[str] = set()
    for offer in offers:
        decisions.extend(offer.gathered.decisions)
        for source, count in offer.gathered.refused:
            refused[source] = refused.get(source, 0) + count
        for item in offer.gathered.items:
            if item.tenant != caller.tenant or (item.readers and names.isdisjoint(item.readers)):
                if item.mandatory:
                    raise MandatoryDenied(offer.source)
                refused[offer.source] = refused.get(offer.source, 0) + 1
                hidden.add(item.item_id)
            elif item.expires_at is not None and item.expires_at <= now:
                if item.mandatory:
                    raise MandatoryDenied(offer.source, "has expired")
                decisions.append(_expired(item))
            else:
                items.append(item)
    listed = tuple(sorted(refused.items()))
    decisions.extend(_refused(source, count) for source, count in listed)
    return Authorized(items=_forget(items, hidden), decisions=tuple(decisions), refused=listed)


def _forget(items: Sequence[ContextItem], hidden: set[str]) -> tuple[ContextItem, ...]:
    """The items with every mention of a hidden id replaced by one word, so that no id leaves through a reference."""
    if not hidden:
        return tuple(items)
    return tuple(item if hidden.isdisjoint(_mentions(item)) else _without(item, hidden) for item in items)


def _mentions(item: ContextItem) -> tuple[str, ...]:
    return (*item.dependencies, *item.supersedes, *item.derived_from, item.parent_call_id)


def _without(item: ContextItem, hidden: set[str]) -> ContextItem:
    def known(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(WITHHELD if name in hidden else name for name in names))

    return replace(
        item,
        dependencies=known(item.dependencies),
        supersedes=known(item.supersedes),
        derived_from=known(item.derived_from),
        parent_call_id=WITHHELD if item.parent_call_id in hidden else item.parent_call_id,
    )


def _expired(item: ContextItem) -> Decision:
    return Decision(subject=item.item_id, stage=Stage.AUTHORIZE, verdict=Verdict.OMITTED, reason=Reason.EXPIRED)


def _refused(source: str, count: int) -> Decision:
    return Decision(
        subject=f"source/{source}",
        stage=Stage.AUTHORIZE,
        verdict=Verdict.NOTED,
        reason=Reason.UNAUTHORIZED,
        detail=f"{count} not readable by this caller",
    )
