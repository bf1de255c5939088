"""A turn of a conversation as it was read, and notes about what was found on the way; values without behaviour."""

from dataclasses import dataclass
from datetime import datetime

from conspectus.core.manifest import Reason, Verdict
from conspectus.core.message import Message, Part, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one record says, or a part of it.

    Attributes:
        number: 1-based place of its record: the line of a JSONL file, the place in a list; 0 for what stands outside.
        line: 1-based line of the file it starts on.
        quoted: shown as text, never sent as a turn: system messages, and results whose call is gone.
        made: a result that nobody recorded, put in so that its call has one.
    """

    number: int
    line: int
    role: Role
    parts: tuple[Part, ...]
    observed_at: datetime | None = None
    quoted: bool = False
    made: bool = False

    @property
    def message(self) -> Message:
        """The turn in the neutral shape."""
        return Message(role=self.role, parts=self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something that was found or mended, to be told in the manifest.

    Attributes:
        number: of the record it is about; -1 for the whole file.
        line: 1-based line of that record, 0 for the whole file.
        detail: names and numbers, no content.
        damage: it would be refused where nothing may be mended.
    """

    number: int
    line: int
    detail: str
    reason: Reason = Reason.REPAIRED
    verdict: Verdict = Verdict.NOTED
    damage: bool = True
