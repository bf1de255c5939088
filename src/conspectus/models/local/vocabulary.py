"""The tokenizer of an open model, twice: as its server has it, and one in which control strings are plain text."""

import re
from collections.abc import Iterable, Sequence
from typing import cast

import msgspec
import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from conspectus.errors import IncompatibleSpec, InputError
from conspectus.models.local.model import Described

_BATCH = 1_000
# Noncharacters: Unicode keeps them for use inside programs, so no text has a right to hold them.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_SURROGATE = re.compile("[\ud800-\udfff]")


class Vocabulary:
    """Counts text, in which control strings are text, and rendered chats, in which they are structure.

    Implements `core.ports.Tokenizer` for text. The second tokenizer, whose control tokens answer to names no text can
    hold, is made only when a text does hold a control string.
    """

    def __init__(self, described: Described, stamp: str, controls: Sequence[str], path: str) -> None:
        """Build the tokenizer.

        Args:
            described: a decoded `tokenizer.json`.
            stamp: its hash.
            controls: added tokens that are structure.
            path: where it came from, for errors.

        Raises:
            InputError: the library of tokenizers cannot read it.
        """
        self._described = described
        self._path = path
        self._stamp = stamp
        self._controls = tuple(sorted(controls, key=lambda control: (-len(control), control)))
        self._names = {control: f"{_OPEN}{number}{_CLOSE}" for number, control in enumerate(self._controls)}
        self._any = re.compile("|".join(map(re.escape, self._controls)) or r"(?!)")
        self._served = _built(_bare(described), path)
        self._plain: Tokenizer | None = None
        self._folds = self._served.normalizer is not None and any(
            token.normalized and token.content in self._names
            for token in self._served.get_added_tokens_decoder().values()
        )

    @property
    def revision(self) -> str:
        """Hash of the tokenizer, and of what is taken for structure."""
        return f"tokenizer-json/{self._stamp}"

    @property
    def controls(self) -> tuple[str, ...]:
        """Added tokens that are structure, longest first."""
        return self._controls

    @property
    def control_ids(self) -> frozenset[int]:
        """Their ids."""
        ids = (self._served.token_to_id(control) for control in self._controls)
        return frozenset(number for number in ids if number is not None)

    def count(self, text: str) -> int:
        """Exact tokens of `text`."""
        return len(self._encoded(text))

    def count_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Exact tokens of each text, shape (len(texts),)."""
        if any(map(self.holds_control, texts)):
            return np.array([self.count(text) for text in texts], dtype=np.int64)
        counts: list[int] = []
        for start in range(0, len(texts), _BATCH):
            batch = [_checked(text) for text in texts[start : start + _BATCH]]
            counts.extend(map(len, self._served.encode_batch_fast(batch, add_special_tokens=False)))
        return np.array(counts, dtype=np.int64)

    def encode(self, text: str) -> list[int]:
        """Token ids of `text` with no control ids."""
        ids: list[int] = self._encoded(text).ids
        return ids

    def count_rendered(self, text: str) -> int:
        """Tokens of a rendered chat: control strings are structure wherever they stand, as for the model's server."""
        return len(self._served.encode_batch_fast([_checked(text)], add_special_tokens=False)[0])

    def encode_rendered(self, text: str) -> list[int]:
        """Token ids of a rendered chat, as the model's server makes them."""
        ids: list[int] = self._served.encode(_checked(text), add_special_tokens=False).ids
        return ids

    def encode_apart(self, text: str, quoted: "Quoting") -> list[int]:
        """Token ids of a chat rendered from quoted data: scaffold is structure, and what was quoted is text."""
        structured = self._any.sub(lambda found: self._names[found[0]], _checked(text))
        ids: list[int] = self._second().encode(quoted.unquote(structured), add_special_tokens=False).ids
        return ids

    def holds_control(self, text: str) -> bool:
        """Whether the server would find structure in `text`."""
        return self._any.search(text) is not None or self.hides_control(text)

    def hides_control(self, text: str) -> bool:
        """Whether structure appears in `text` only once the tokenizer has normalised it, which no mark prevents."""
        normalizer = self._served.normalizer
        if not self._folds or normalizer is None or text.isascii():
            return False
        return len(self._any.findall(normalizer.normalize_str(_checked(text)))) > len(self._any.findall(text))

    def quoting(self) -> "Quoting":
        """A way to carry control strings through a template without it or anybody seeing them."""
        return Quoting(self._any, self._controls)

    def _encoded(self, text: str) -> Encoding:
        tokenizer = self._second() if self.holds_control(text) else self._served
        return tokenizer.encode(_checked(text), add_special_tokens=False)

    def _second(self) -> Tokenizer:
        if self._plain is None:
            self._plain = _built(_renamed(_bare(self._described), self._names), self._path)
        return self._plain


class Quoting:
    """Replaces control strings in data by names, and puts them back once the scaffold around them is known."""

    def __init__(self, pattern: re.Pattern[str], controls: Sequence[str]) -> None:
        """Take what is to be quoted."""
        self._pattern = pattern
        self._controls = controls
        self._numbers = {control: number for number, control in enumerate(controls)}

    def quote(self, text: str) -> str:
        """`text` without control strings.

        Raises:
            IncompatibleSpec: it holds one of the noncharacters the names are made of.
        """
        if _OPEN in text or _CLOSE in text:
            raise IncompatibleSpec("text", "holds the noncharacter U+FDD0 or U+FDD1; clean it first")
        return self._pattern.sub(lambda found: f"{_CLOSE}{self._numbers[found[0]]}{_OPEN}", text)

    def unquote(self, text: str) -> str:
        """`text` with its control strings again."""
        named = re.compile(f"{_CLOSE}([0-9]+){_OPEN}")
        return named.sub(lambda found: self._controls[int(found[1])], text)


def added_tokens(described: Described) -> dict[str, bool]:
    """Every added token of a tokenizer and whether it calls it special."""
    tokens = cast("list[Described]", described.get("added_tokens") or [])
    return {str(token["content"]): bool(token.get("special")) for token in tokens}


def _checked(text: str) -> str:
    if _SURROGATE.search(text):
        raise InputError("text", "holds a lone surrogate; only what UTF-8 can write can be counted")
    return text


def _built(described: Described, path: str) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_str(msgspec.json.encode(described).decode())
    except Exception as error:  # the library raises bare Exception
        raise InputError(path, f"describes no tokenizer this library can build: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _bare(described: Described) -> Described:
    """Without what would add tokens around a text, or is needed only to read ids back."""
    return {**described, "post_processor": None, "decoder": None, "truncation": None, "padding": None}


def _renamed(described: Described, names: dict[str, str]) -> Described:
    """The tokenizer with control tokens under other names and the same ids, and with no other way to their ids."""
    added = [{**token, "content": names.get(token["content"], token["content"])} for token in described["added_tokens"]]
    model: Described = dict(described["model"])
    vocabulary: dict[str, int] | list[tuple[str, float]] = model["vocab"]
    if isinstance(vocabulary, dict):
        model["vocab"] = {names.get(token, token): number for token, number in vocabulary.items()}
    else:
        model["vocab"] = [[names.get(token, token), score] for token, score in vocabulary]
    if isinstance(model.get("merges"), list):
        model["merges"] = [merge for merge in model["merges"] if "".join(_pair(merge)) not in names]
        model["merges"] = [merge for merge in model["merges"] if not names.keys() & set(_pair(merge))]
    if model.get("unk_token") in names:
        model["unk_token"] = names[model["unk_token"]]
    return {**described, "added_tokens": added, "model": model}


def _pair(merge: str | Iterable[str]) -> list[str]:
    return merge.split(" ", 1) if isinstance(merge, str) else list(merge)
