"""A profile that remembers what it has counted: every count is the inner profile's own, none is ever guessed."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from conspectus.core.call import Form
from conspectus.core.canonical import canonical_bytes
from conspectus.core.message import Message, Prompt, ToolSchema
from conspectus.core.ports import Exactness, Limits, ModelProfile

_FORMAT = "counts-1"
_KEY_BYTES = 16
_COUNT_BYTES = 8

Counted = TypeVar("Counted")


class CountCache(Protocol):
    """Keeps counts under the hash of what was counted, so that the same text is not counted again."""

    def load(self, revision: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        """What was saved under `revision` for those of `keys` that are known."""
        ...

    def save(self, revision: str, entries: Mapping[str, bytes]) -> None:
        """Keep entries for later; a cache may forget whatever it likes."""
        ...


class Remembered:
    """The profile `inner`, asked only for what `cache` does not know under the same revisions and form."""

    def __init__(self, inner: ModelProfile, cache: CountCache) -> None:
        self._inner = inner
        self._cache = cache
        revisions = (inner.model_revision, inner.tokenizer_revision, inner.template_revision)
        self._revision = "/".join((_FORMAT, inner.name, inner.form.value, *revisions))

    @property
    def name(self) -> str:
        """The inner profile's."""
        return self._inner.name

    @property
    def form(self) -> Form:
        """The inner profile's."""
        return self._inner.form

    @property
    def model_revision(self) -> str:
        """The inner profile's."""
        return self._inner.model_revision

    @property
    def tokenizer_revision(self) -> str:
        """The inner profile's."""
        return self._inner.tokenizer_revision

    @property
    def template_revision(self) -> str:
        """The inner profile's."""
        return self._inner.template_revision

    @property
    def exactness(self) -> Exactness:
        """The inner profile's."""
        return self._inner.exactness

    @property
    def margin(self) -> float:
        """The inner profile's."""
        return self._inner.margin

    @property
    def limits(self) -> Limits:
        """The inner profile's."""
        return self._inner.limits

    @property
    def control_strings(self) -> tuple[str, ...]:
        """The inner profile's."""
        return self._inner.control_strings

    def count(self, prompt: Prompt) -> int:
        """Input tokens of the prompt, counted now or at an earlier time."""

        def fresh(prompts: Sequence[Prompt]) -> NDArray[np.int64]:
            return np.array([self._inner.count(each) for each in prompts], dtype=np.int64)

        return int(self._counts("prompt", [prompt], canonical_bytes, fresh)[0])

    def count_blocks(self, blocks: Sequence[str]) -> NDArray[np.int64]:
        """Tokens each block adds."""
        return self._counts("block", blocks, str.encode, self._inner.count_blocks)

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        """Tokens each group of turns adds."""
        return self._counts("turns", units, canonical_bytes, self._inner.count_turns)

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        """Tokens each tool adds."""
        return self._counts("tool", tools, canonical_bytes, self._inner.count_tools)

    def encode(self, prompt: Prompt) -> str:
        """The body."""
        return self._inner.encode(prompt)

    def _counts(
        self,
        what: str,
        values: Sequence[Counted],
        bytes_of: Callable[[Counted], bytes],
        fresh: Callable[[Sequence[Counted]], NDArray[np.int64]],
    ) -> NDArray[np.int64]:
        """The count of each value, the unknown ones counted together and kept."""
        keys = [f"{what}/{hashlib.blake2b(bytes_of(value), digest_size=_KEY_BYTES).hexdigest()}" for value in values]
        known = self._cache.load(self._revision, keys)
        counts = np.array([_number(known.get(key)) for key in keys], dtype=np.int64)
        unknown = np.flatnonzero(counts < 0).tolist()
        if unknown:
            counts[unknown] = fresh([values[index] for index in unknown])
            entries = {keys[index]: int(counts[index]).to_bytes(_COUNT_BYTES, "big") for index in unknown}
            self._cache.save(self._revision, entries)
        return counts


def _number(kept: bytes | None) -> int:
    """A kept count, or -1 where there is none that can be one."""
    return int.from_bytes(kept, "big") if kept is not None and len(kept) == _COUNT_BYTES and not kept[0] else -1
