"""OpenAI's encodings against tiktoken, engine by engine, and what happens where an engine is wrong or missing."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given

from conspectus.errors import InputError, ModelUnavailable, UnknownRevision
from conspectus.models import encodings
from conspectus.models.bytepair import BytePairEngine, read_vocabulary
from conspectus.models.encodings import FACTS, Encoding, EncodingFacts, fastest, first_ready, load_encoding
from conspectus.models.engines import Engine
from conspectus.models.known_answers import ANSWERS, TEXTS, digest_of, passes
from conspectus.models.quick_engine import QuickEngine
from conspectus.models.reference_engine import ReferenceEngine
from tests.models.texts import texts
from tests.models.vocabularies import reference

NAMES = tuple(FACTS)
LONG = ("a" * 3_000, "的" * 1_000, " " * 2_000, "ab" * 800, "😀" * 400, "!" * 1_500, "\n" * 999, "aB1 的" * 300)


@pytest.fixture(scope="module")
def engines() -> dict[tuple[str, str], Engine]:
    made: dict[tuple[str, str], Engine] = {}
    for name, facts in FACTS.items():
        made[name, "quick"] = QuickEngine(name)
        made[name, "small"] = BytePairEngine(facts.pattern, read_vocabulary(facts.vocabulary))
        made[name, "reference"] = ReferenceEngine(name)
    return made


@pytest.mark.proves("R-PAIN-P037", "R-COUNT-PARITY")
@pytest.mark.parametrize("name", NAMES)
def test_known_answers_are_those_of_tiktoken(name: str) -> None:
    assert digest_of(reference(name).encode_ordinary(text) for text in TEXTS) == ANSWERS[name]


@pytest.mark.proves("R-COUNT-PARITY")
@pytest.mark.parametrize("kind", ["quick", "small", "reference"])
@pytest.mark.parametrize("name", NAMES)
def test_every_engine_gives_the_known_answers(name: str, kind: str, engines: dict[tuple[str, str], Engine]) -> None:
    assert passes(engines[name, kind], name)


@pytest.mark.proves("R-COUNT-PARITY", "R-PAIN-P032")
@pytest.mark.parametrize("name", NAMES)
def test_engines_agree_with_tiktoken_on_any_text(name: str, engines: dict[tuple[str, str], Engine]) -> None:
    oracle = reference(name)

    @given(text=texts)
    def agree(text: str) -> None:
        expected = oracle.encode_ordinary(text)
        for kind in ("quick", "small"):
            assert engines[name, kind].encode(text) == expected, kind
            assert engines[name, kind].count(text) == len(expected), kind

    agree()


@pytest.mark.parametrize("text", LONG, ids=lambda text: f"{text[:2]!r}*{len(text)}")
@pytest.mark.parametrize("name", NAMES)
def test_long_runs_are_merged_alike_and_in_time(name: str, text: str, engines: dict[tuple[str, str], Engine]) -> None:
    assert engines[name, "small"].encode(text) == engines[name, "quick"].encode(text)


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_every_code_point_is_read_alike(name: str, engines: dict[tuple[str, str], Engine]) -> None:
    oracle = reference(name)
    for point in (*range(0xD800), *range(0xE000, 0x110000)):
        text = f"a{chr(point)}{chr(point)}b 1 {chr(point)}x'{chr(point)} \n{chr(point)}"
        expected = oracle.encode_ordinary(text)
        assert engines[name, "small"].encode(text) == expected
        assert engines[name, "quick"].encode(text) == expected


@pytest.mark.proves("R-COUNT-CONTROL")
@pytest.mark.parametrize("name", NAMES)
def test_control_strings_are_text(name: str) -> None:
    encoding = load_encoding(name)
    special = reference(name)._special_tokens
    for control, number in special.items():
        ids = encoding.encode(f"a{control}b")
        assert number not in ids
        assert len(ids) == encoding.count(f"a{control}b") > 3


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_the_same_before_and_after_the_fast_engine_is_loaded(name: str) -> None:
    encoding = Encoding(FACTS[name])
    small = [encoding.count(text) for text in TEXTS]
    assert isinstance(encoding._engine, BytePairEngine)
    encoding.prepare()
    assert isinstance(encoding._engine, QuickEngine)
    assert [encoding.count(text) for text in TEXTS] == small
    assert encoding.count_many(TEXTS).tolist() == small
    assert encoding.count_many(()).tolist() == []


def test_much_text_loads_the_fast_engine_at_once() -> None:
    encoding = Encoding(FACTS["cl100k_base"])
    counts = encoding.count_many(["some words and more\n"] * 20_000)
    assert isinstance(encoding._engine, QuickEngine)
    assert counts.dtype == np.int64
    assert set(counts.tolist()) == {5}


class Wrong:
    """An engine that is nearly right."""

    def __init__(self, *_: object) -> None:
        pass

    def count(self, text: str) -> int:
        return len(text)

    def encode(self, text: str) -> list[int]:
        return [0] * len(text)


def wrong(facts: EncodingFacts) -> Engine:
    return Wrong(facts)


def absent(facts: EncodingFacts) -> Engine:
    raise ModelUnavailable(facts.name, "has no engine here")


@pytest.mark.proves("R-COUNT-PARITY", "R-PAIN-P023")
def test_an_engine_that_fails_the_parity_test_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_quick", wrong)
    assert isinstance(fastest(FACTS["cl100k_base"]), BytePairEngine)
    monkeypatch.setattr(encodings, "_starter", absent)
    assert isinstance(fastest(FACTS["cl100k_base"]), ReferenceEngine)
    assert isinstance(first_ready(FACTS["cl100k_base"]), ReferenceEngine)
    monkeypatch.setattr(encodings, "_reference", wrong)
    with pytest.raises(ModelUnavailable, match="here: cl100k_base has no engine here; Wrong does not give"):
        first_ready(FACTS["cl100k_base"])


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr("conspectus.models.bytepair.find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable, match="install conspectus again"):
        read_vocabulary("o200k")


@pytest.mark.proves("R-PAIN-P023")
def test_what_is_no_text_is_refused_and_never_counted_as_nothing() -> None:
    encoding = load_encoding("o200k_base")
    for ask in (encoding.count, encoding.encode, lambda text: encoding.count_many(["fine", text])):
        with pytest.raises(InputError, match="surrogate"):
            ask("a\udc80")
    quick = Encoding(FACTS["cl100k_base"])
    quick.prepare()
    with pytest.raises(InputError, match="surrogate"):
        quick.count("\ud800")


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(UnknownRevision, match="o200k_base"):
        load_encoding("p50k_base")
