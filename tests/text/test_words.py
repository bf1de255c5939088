"""What the terms of a text are: identifiers, scripts without spaces, width and case; English and Chinese alike."""

import time

import pytest
from hypothesis import given

from conspectus.text.words import STOP_WORDS, query_terms, terms
from tests.text.strategies import mixed_text

TERMS = {
    "get_user_name": ["get", "user", "name", "get_user_name"],
    "getUserName": ["get", "user", "name", "getusername"],
    "GetUserName": ["get", "user", "name", "getusername"],
    "HTTPServer": ["http", "server", "httpserver"],
    "parseJSON": ["parse", "json", "parsejson"],
    "SCREAMING_CASE": ["screaming", "case", "screaming_case"],
    "user-agent": ["user", "agent"],
    "os.path.join": ["os", "path", "join"],
    "src/app/main.py": ["src", "app", "main", "py"],
    "v2": ["v", "2", "v2"],
    "x86_64": ["x", "86", "64", "x86_64"],
    "__init__": ["init"],
    "_get_name_": ["get", "name", "get_name"],
    "_": [],
    "don't": ["don", "t"],
    "数据库": ["数据", "据库"],
    "库": ["库"],
    "用 PostgreSQL 数据库": ["用", "postgre", "sql", "postgresql", "数据", "据库"],
    "第3章": ["第", "3", "章"],
    "get_用户_name": ["get", "用户", "name"],
    "データー": ["デー", "ータ", "ター"],
    "ひらがな": ["ひら", "らが", "がな"],
    "한국어": ["한국", "국어"],
    "㐀㐁𠀀": ["㐀㐁", "㐁𠀀"],
    "人々、〇": ["人々", "〇"],
    "ＡＢＣ１２３": ["abc", "123", "abc123"],
    "ｶﾞｷﾞ": ["ガギ"],
    "CAFÉ café cafe\u0301": ["café", "café", "café"],
    "ΣΊΣΥΦΟΣ σίσυφος": ["σίσυφοσ", "σίσυφοσ"],
    "ИмяКласса": ["имя", "класса", "имякласса"],
    "हिन्दी สวัสดี": ["हिन्दी", "สวัสดี"],
    "می\u200cخواهم": ["می", "خواهم"],
    "❤\ufe0f 1\ufe0f\u20e3 👍🏽": ["1"],
    "葛\U000e0100城": ["葛城"],
    "": [],
    " \n\t": [],
}


@pytest.mark.proves("R-BUDGET-BM25", "R-CONTRACT-SCRIPTS", "R-PAIN-P079")
@pytest.mark.parametrize("text", TERMS)
def test_terms_of(text: str) -> None:
    assert terms(text) == TERMS[text]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the connection pool, the pool?", ("connection", "pool")),
        ("如何部署服务", ("何部", "部署", "署服", "服务")),
        ("什么是 API？", ("么是", "api")),
        ("what is it", ("what", "is", "it")),
        ("什么", ("什么",)),
        ("的", ("的",)),
        ("must not run", ("must", "not", "run")),
        ("不要 没有 禁止", ("不要", "没有", "禁止")),
        ("", ()),
    ],
)
def test_queries_lose_what_carries_no_meaning(question: str, expected: tuple[str, ...]) -> None:
    assert query_terms(question) == expected


def test_negation_is_no_stop_word() -> None:
    assert not STOP_WORDS & {"not", "no", "never", "without", "不", "没", "无", "未", "非", "没有", "不要"}


@given(mixed_text)
def test_terms_are_stable(text: str) -> None:
    """A word of one part is its own term, a pair is its own term, and everything is in lower case."""
    for term in terms(text):
        assert term in terms(term)
        assert term == term.lower().replace("ς", "σ")


@given(mixed_text, mixed_text)
def test_a_line_end_separates(one: str, other: str) -> None:
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)


@given(mixed_text)
def test_query_terms_are_terms_without_repetition(text: str) -> None:
    chosen = query_terms(text)
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= set(terms(text))
    assert bool(chosen) == bool(terms(text))


@pytest.mark.parametrize("unit", ["\u0301\u0327", "A", "_", "aB", "字"])
def test_a_word_of_a_megabyte_costs_no_square(unit: str) -> None:
    text = "a" + unit * (1_000_000 // len(unit))
    begun = time.process_time()
    terms(text)
    assert time.process_time() - begun < 10
