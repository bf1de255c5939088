"""What goes into one assembly and what comes out of it: caller, request, payload."""

from dataclasses import dataclass
from enum import StrEnum

from conspectus.core.message import Prompt


class Form(StrEnum):
    """The form a payload leaves in."""

    TEXT = "text"
    JSON = "json"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, as authenticated by the door."""

    principal: str = "operator"
    tenant: str = "local"
    groups: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """Every name a reader list may hold for this caller."""
        return self.groups | {self.principal}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One piece of evidence the task cannot be answered without.

    An item fills the slot when its source matches `source` (a glob over item id and source URI, if given) and its
    content holds every term of `match` (the terms of `name` when neither is given).
    """

    name: str
    match: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked in this call."""

    question: str
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """Exactly what is sent.

    Attributes:
        form: the form of `body`.
        body: the text or JSON document, to be sent as it is.
        prompt: the same in the neutral shape.
        tokens: input tokens of the body under the profile of the spec.
        payload_hash: SHA-256 of `body` in UTF-8.
    """

    form: Form
    body: str
    prompt: Prompt
    tokens: int
    payload_hash: str
