"""What the tokens of a statement are, what they say and where they stand."""

import pytest
from hypothesis import given

from conspectus.text.statements import Kind, read, span_of, stem
from tests.text.strategies import mixed_text

SAID = {
    "Don't panic, it's 1,000 or -5%!": ["do", "not", "panic", "it", "1000", "or", "-5", "%"],
    "on 2024-05-01 at 10:30, v3.11": ["on", "2024-05-01", "at", "10:30", "v3", "11"],
    "a-b 3-5 x=-1": ["a", "b", "3-5", "x", "=", "-1"],
    "**bold** f(*args) **kwargs": ["bold", "f", "*", "args", "*", "kwargs"],
    "__init__ _": ["init"],
    "cannot won't they'll o'clock": ["can", "not", "will", "not", "they", "oclock"],
    "a != b, a! #1 # 2": ["a", "!", "=", "b", "a", "#", "1", "2"],
    "用户不必使用ＡＢＣ，周五除外": ["用户", "不必", "使用", "abc", "周五", "除", "外"],
    "ﾃﾞｰﾀ がか\u3099": ["デ", "ー", "タ", "が", "が"],
    "한국어": ["한", "국", "어"],
    "第１２章": ["第", "12", "章"],
    "": [],
}


@pytest.mark.parametrize("text", SAID)
def test_what_is_said(text: str) -> None:
    assert [token.text for token in read(text)] == SAID[text]


def test_kinds_and_forms() -> None:
    read_as = {token.text: (token.kind, token.form) for token in read("He must never run the 3 tests; running %")}
    assert read_as["must"] == (Kind.PREDICATE, "must")
    assert read_as["never"] == (Kind.NEGATION, "never")
    assert read_as["run"] == (Kind.PREDICATE, "run")
    assert read_as["the"][0] is Kind.IGNORABLE
    assert read_as["3"][0] is Kind.NUMBER
    assert read_as["tests"] == (Kind.CONTENT, "test")
    assert read_as["running"] == (Kind.CONTENT, "run")
    assert read_as["%"][0] is Kind.SYMBOL
    kinds = {token.text: token.kind for token in read("用户必须在周五使用三个")}
    assert [kinds[word] for word in ("用户", "必须", "在", "周五", "使用", "三")] == [
        Kind.CONTENT, Kind.PREDICATE, Kind.PREDICATE, Kind.NUMBER, Kind.PREDICATE, Kind.NUMBER,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "base"),
    [("uses", "use"), ("used", "use"), ("stopped", "stop"), ("policies", "policy"), ("is", "be"), ("was", "be"),
     ("classes", "class"), ("status", "status"), ("seed", "seed"), ("bring", "bring"), ("数据", "数据")],
)  # fmt: skip
def test_base_forms(word: str, base: str) -> None:
    assert stem(word) == base


@given(mixed_text)
def test_places_are_where_the_tokens_stand(text: str) -> None:
    tokens = read(text)
    shifted = read(text, start=100)
    assert [(token.start + 100, token.end + 100) for token in tokens] == [(t.start, t.end) for t in shifted]
    assert all(0 <= token.start < token.end <= len(text) for token in tokens)
    assert sorted(tokens, key=lambda token: (token.start, token.end)) == tokens
    for token in tokens:
        said = "".join(t.text for t in read(text[token.start : token.end]))
        assert token.text in said
    assert span_of(tokens) == (((tokens[0].start, tokens[-1].end),) if tokens else ())
