"""Each signal says what it is named after, in English and in Chinese."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.relevance.matches import match_stems
from conspectus.relevance.question import read_question
from conspectus.relevance.signals import SIGNALS, signals
from conspectus.relevance.structure import read_structure


def said(question: str, texts: list[str], groups: list[str] | None = None) -> dict[str, list[float]]:
    """The signals of `texts` by name; one group unless said otherwise."""
    asked = read_question(question)
    fields = (match_stems(texts, asked.stems), match_stems([""] * len(texts), asked.stems))
    places = read_structure(groups or ["one"] * len(texts), np.arange(len(texts)))
    table = signals(asked, texts, fields, places, np.ones(len(texts), dtype=np.bool_))
    return {name: table[:, column].tolist() for column, name in enumerate(SIGNALS)}


@pytest.mark.proves("R-RANK-SIGNALS")
@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("hiking routes", ["cats and dogs", "we hiked the route twice"]),
        ("支付失败重试", ["今天天气很好", "支付失败时最多重试三次"]),
        ("get_user_name", ["def other(): ...", "def getUserName(): ..."]),
    ],
)
def test_words_meet_in_any_form_and_script(question: str, texts: list[str]) -> None:
    assert said(question, texts)["words"] == [0.0, 1.0]


@pytest.mark.proves("R-RANK-SIGNALS")
def test_neighbours_and_the_group_lend_what_they_have() -> None:
    found = said("retry limit", ["zebra", "the retry limit", "apple", "pear"], ["a", "a", "a", "b"])
    assert found["around"][0] > 0.0 < found["around"][2]
    assert found["coverage"] == [1.0, 1.0, 1.0, 0.0]
    assert found["group"] == [1.0, 1.0, 1.0, 0.0]
    assert found["around"][3] == 0.0


@pytest.mark.proves("R-RANK-SIGNALS")
@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("When did Anna paint?", ["Boris: I never paint.", "Anna: Did you paint?", "Anna: Yes, I paint since 2019."]),
        ("小明什么时候画画？", ["小红：我从不画画。", "小明：你画画吗？", "小明：我去年开始画画。"]),
    ],
)
def test_who_speaks_what_asks_and_what_names_a_time(question: str, texts: list[str]) -> None:
    found = said(question, texts)
    assert found["speaker"] == [-1.0, 1.0, 1.0]
    assert found["question"][1] > 0.0
    assert found["question"][0] == found["question"][2] == 0.0
    assert found["answer"][2] > 0.0
    assert found["time"][2] > 0.0
    assert found["time"][0] == found["time"][1] == 0.0


@pytest.mark.proves("R-RANK-SIGNALS")
def test_the_best_part_of_a_request_counts_whole() -> None:
    texts = ["book a flight to Oslo", "weather in Oslo and Rome", "nothing at all"]
    found = said("Book a flight for me. Then tell me the weather there.", texts)
    assert found["part"][0] == found["part"][1] == 1.0
    assert found["part"][2] == 0.0


@pytest.mark.proves("R-RANK-SIGNALS")
@given(
    st.permutations(range(5)),
    st.lists(st.sampled_from(["retry", "limit", "zebra", "重试", "次数", "pear"]), min_size=5, max_size=5),
)
def test_the_order_of_the_table_says_nothing(order: list[int], words: list[str]) -> None:
    texts = [f"{word} {number}" for number, word in enumerate(words)]
    asked = read_question("retry limit 重试次数")
    rivals = np.ones(5, dtype=np.bool_)

    def table(rows: list[int]) -> np.ndarray:
        shown = [texts[row] for row in rows]
        places = read_structure(["one"] * 5, np.argsort(np.array(rows)))
        fields = (match_stems(shown, asked.stems), match_stems([""] * 5, asked.stems))
        return signals(asked, shown, fields, places, rivals)

    assert np.allclose(table(list(range(5)))[order], table(order))
