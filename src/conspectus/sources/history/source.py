"""HistorySource: what was said and done, a unit an item; it shortens and forgets nothing."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from conspectus.core.call import Caller, Request
from conspectus.core.manifest import Decision, Gathered, Reason, Stage, Verdict
from conspectus.core.message import Role
from conspectus.errors import InputError
from conspectus.sources.history.document import read_document
from conspectus.sources.history.messages import Said, read_turn
from conspectus.sources.history.repair import repair
from conspectus.sources.history.turns import Note
from conspectus.sources.history.units import Unit, group, items_of

_SHOWN_FAULTS = 5


class HistorySource:
    """A conversation that was read before the call."""

    name = "history"

    def __init__(self, units: Sequence[Unit], uri: str, notes: Sequence[Note] = ()) -> None:
        self._units = tuple(units)
        self._uri = uri
        names = {number: unit.name for unit in self._units for number in unit.numbers}
        self._decisions = tuple(_decision(note, names) for note in notes)

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:  # noqa: ARG002 - all is offered
        """Every unit, and a decision for everything that was mended or left out."""
        return Gathered(items=items_of(self._units, self._uri, caller.tenant), decisions=self._decisions)


def read_history(path: Path, *, strict: bool = False) -> HistorySource:
    """A conversation in OpenAI's chat shape or Anthropic's: JSONL, a JSON list of messages, or a body with `messages`.

    Calls without a result, results without a call, ids that are missing or taken, arguments that are no object, empty
    and doubled messages and a last line that breaks off are mended, each with a note. A system message is shown as
    data.

    Raises:
        InputError: a line is broken, no turn, or holds something unknown; or, if `strict`, anything would be mended.
    """
    document = read_document(path)
    said = [read_turn(record) for record in document.records]
    repaired = repair(each.turn for each in said)
    notes = [*document.notes, *_system_notes(said), *repaired.notes, *_ignored_notes(said)]
    if strict:
        _refuse_damage(notes, path)
    return HistorySource(group(repaired.turns), f"history:{path.name}", notes)


def _refuse_damage(notes: Iterable[Note], path: Path) -> None:
    damage = sorted((note for note in notes if note.damage), key=lambda note: note.line)
    if damage:
        listed = "; ".join(note.detail for note in damage[:_SHOWN_FAULTS])
        more = f"; and {len(damage) - _SHOWN_FAULTS} more" if len(damage) > _SHOWN_FAULTS else ""
        raise InputError(str(path), f"the conversation is damaged: {listed}{more}", line=damage[0].line or None)


def _system_notes(said: Iterable[Said]) -> list[Note]:
    return [
        Note(
            number=each.turn.number,
            line=each.turn.line,
            detail=f"line {each.turn.line}: a system message is data here",
            reason=Reason.AUTHORITY,
            damage=False,
        )
        for each in said
        if each.turn.role is Role.SYSTEM
    ]


def _ignored_notes(said: Sequence[Said]) -> list[Note]:
    """One note for each name that was left out, however many records hold it."""
    counts = Counter(name for each in said for name in each.ignored)
    first = {name: each.turn.line for each in reversed(said) for name in each.ignored}
    return [
        Note(
            number=-1,
            line=0,
            detail=f"{name!r} left out, {count} times, first on line {first[name]}",
            reason=Reason.IGNORED,
            damage=False,
        )
        for name, count in sorted(counts.items())
    ]


def _decision(note: Note, names: Mapping[int, str]) -> Decision:
    """A note as a decision about the unit its record is part of; what is part of no unit ends here."""
    name = names.get(note.number)
    subject = "source/history" if note.number < 0 else f"history/{name or note.number}"
    verdict = Verdict.NOTED if name else note.verdict
    return Decision(subject=subject, stage=Stage.GATHER, verdict=verdict, reason=note.reason, detail=note.detail)
