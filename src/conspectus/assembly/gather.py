"""Ask every source what it has; the only step that touches the world, and the only one where a source may fail."""

from collections.abc import Sequence
from datetime import datetime

from conspectus.core.call import Caller, Request
from conspectus.core.manifest import Decision, Gathered, Offer, Reason, Stage, Verdict
from conspectus.core.ports import Source
from conspectus.errors import InputError


def gather(sources: Sequence[Source], request: Request, caller: Caller, now: datetime) -> tuple[Offer, ...]:
    """What each source offers, in the order of the sources.

    A source that fails offers nothing, fails alone and is recorded by the kind of its error: its words could hold
    content, and an error text is never evidence.

    Raises:
        InputError: what a person gave a source is wrong.
    """
    return tuple(Offer(source=source.name, gathered=_ask(source, request, caller, now)) for source in sources)


def _ask(source: Source, request: Request, caller: Caller, now: datetime) -> Gathered:
    try:
        gathered = source.gather(request, caller, now)
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a source does, it must not take the call down with it
        return Gathered(decisions=(_source(source.name, Verdict.FAILED, Reason.SOURCE_FAILED, type(error).__name__),))
    offered = _source(source.name, Verdict.NOTED, Reason.GATHERED, f"{len(gathered.items)} candidates")
    return Gathered(items=gathered.items, decisions=(offered, *gathered.decisions), refused=gathered.refused)


def _source(name: str, verdict: Verdict, reason: Reason, detail: str) -> Decision:
    return Decision(subject=f"source/{name}", stage=Stage.GATHER, verdict=verdict, reason=reason, detail=detail)
