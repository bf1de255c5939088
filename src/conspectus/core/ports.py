"""The ports of the house: what the assembly asks of sources, models and archives, as protocols without behaviour."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from conspectus.core.call import Caller, Form, Request
from conspectus.core.manifest import Gathered
from conspectus.core.message import Message, Prompt, ToolSchema


class Source(Protocol):
    """Owns one kind of durable state and offers it as candidates."""

    @property
    def name(self) -> str:
        """The name decisions and refusals are recorded under."""
        ...

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:
        """The candidates for this call.

        Raises:
            InputError: what a person gave the source is wrong; any other error fails this source alone.
        """
        ...


class Tokenizer(Protocol):
    """One vocabulary: text in, token ids out; control strings in the text stay text."""

    @property
    def revision(self) -> str:
        """Name and hash of vocabulary and rules."""
        ...

    def count(self, text: str) -> int:
        """Exact tokens of `text`."""
        ...

    def count_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Exact tokens of each text, shape (len(texts),)."""
        ...

    def encode(self, text: str) -> list[int]:
        """Token ids of `text` with no control ids."""
        ...


class Exactness(StrEnum):
    """Whether a profile's counts are the provider's to the token, or an estimate with a margin."""

    EXACT = "exact"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a model, in tokens."""

    window: int
    output: int


class ModelProfile(Protocol):
    """Tokenizer, chat template, wire form and limits of one model revision, bound to one form of payload."""

    @property
    def name(self) -> str:
        """The name a person asks for it by."""
        ...

    @property
    def form(self) -> Form:
        """The form its bodies have."""
        ...

    @property
    def model_revision(self) -> str:
        """Revision of the model the profile was made for."""
        ...

    @property
    def tokenizer_revision(self) -> str:
        """Revision of the vocabulary."""
        ...

    @property
    def template_revision(self) -> str:
        """Revision of the chat template or framing rules."""
        ...

    @property
    def exactness(self) -> Exactness:
        """Whether `count` is what the provider will report."""
        ...

    @property
    def margin(self) -> float:
        """Largest share by which an estimate may be wrong; 0 for an exact profile."""
        ...

    @property
    def limits(self) -> Limits:
        """What the model accepts."""
        ...

    @property
    def control_strings(self) -> tuple[str, ...]:
        """Strings that would be structure instead of text if data held them: control tokens and role markers."""
        ...

    def count(self, prompt: Prompt) -> int:
        """Input tokens of the whole prompt in this profile's form, template and tools included."""
        ...

    def count_blocks(self, blocks: Sequence[str]) -> NDArray[np.int64]:
        """Tokens each block adds inside a text or a turn; a block starts with `<` or `[` and ends with a blank line."""
        ...

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        """Tokens each group of turns adds to a chat."""
        ...

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        """Tokens each tool adds to a chat that has tools."""
        ...

    def encode(self, prompt: Prompt) -> str:
        """The body in this profile's form, ready to be sent."""
        ...


class Archive(Protocol):
    """Content under its own retention and access rules, found by its hash."""

    def put(self, tenant: str, blobs: Sequence[bytes]) -> tuple[str, ...]:
        """Keep the blobs, whole or not at all; their SHA-256 digests in the same order."""
        ...

    def fetch(self, tenant: str, digest: str, source: str) -> bytes:
        """The blob.

        Raises:
            BlobMissing: it was never kept, or is gone.
        """
        ...
