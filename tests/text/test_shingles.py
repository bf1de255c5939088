"""Like texts are found, with their exact likeness, in English and Chinese, and without comparing all with all."""

import random
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.text.shingles import Pair, near_duplicate_groups, similar_pairs
from tests.text.strategies import mixed_text

ENGLISH = ["service", "database", "request", "session", "token", "cache", "worker", "queue", "retry", "limit", "index"]
CHINESE = list("服务数据请求会话令牌缓存队列重试限制索引租户区域备份日志网关版本部署权限审计")


def document(random_source: random.Random, words: list[str], lines: int = 10, gap: str = " ") -> str:
    """Lines of random words with numbers, so that shingles are rare as they are in real text."""
    return "\n".join(
        gap.join(
            random_source.choice(words) + str(random_source.randrange(100)) * (place % 3 == 0) for place in range(9)
        )
        for _ in range(lines)
    )


def edited(random_source: random.Random, text: str) -> str:
    """The text with one line dropped or one word of it changed."""
    lines = text.split("\n")
    if random_source.random() < 0.5:
        del lines[random_source.randrange(len(lines))]
    else:
        place = random_source.randrange(len(lines))
        lines[place] = lines[place][:4] + " changed " + lines[place][8:]
    return "\n".join(lines)


@pytest.mark.parametrize(("words", "gap"), [(ENGLISH, " "), (CHINESE, "")])
def test_recall_of_injected_near_copies(words: list[str], gap: str) -> None:
    source = random.Random(7)
    texts = [document(source, words, gap=gap) for _ in range(2_000)]
    copied = source.sample(range(2_000), 400)
    texts += [edited(source, texts[number]) for number in copied]
    found = {(pair.left, pair.right) for pair in similar_pairs(texts)}
    planted = {(number, 2_000 + place) for place, number in enumerate(copied)}
    assert len(found & planted) >= 0.95 * len(planted)
    assert len(found - planted) <= 0.02 * len(planted)


def units(text: str) -> list[str]:
    return re.findall(r"[a-z]+|[0-9]+|[\u4e00-\u9fff]", text.lower())


def test_likeness_is_exact() -> None:
    source = random.Random(3)
    texts = [document(source, words) for words in (ENGLISH, CHINESE) for _ in range(40)]
    texts += [edited(source, text) for text in texts]
    pairs = similar_pairs(texts, threshold=0.0)
    assert len(pairs) >= 80
    for pair in pairs:
        left, right = (
            {tuple(row[place : place + 4]) for place in range(len(row) - 3)}
            for row in (units(texts[pair.left]), units(texts[pair.right]))
        )
        assert pair.resemblance == pytest.approx(len(left & right) / len(left | right))
        assert pair.containment == pytest.approx(len(left & right) / min(len(left), len(right)))


STATEMENTS = [
    ("Refunds are accepted within 30 days", "Refunds are accepted within 14 days"),
    ("must run migrations", "must not run migrations"),
    ("The service uses PostgreSQL", "The service uses MySQL"),
    ("service alpha has 3 replicas", "service alpha has 5 replicas"),
    ("数据库是 PostgreSQL", "数据库是 MySQL"),
    ("退款须在 30 天内申请", "退款须在 14 天内申请"),
    ("部署前必须运行迁移", "部署前不必运行迁移"),
    ("默认分支是 main", "默认分支是 master"),
]


@pytest.mark.parametrize(("one", "other"), STATEMENTS)
def test_statements_that_differ_in_a_value_meet(one: str, other: str) -> None:
    fillers = ["an unrelated remark about the weather", "与此无关的一句话", "lunch is at noon"]
    texts = [fillers[0], one, fillers[1], other, fillers[2]]
    assert [(pair.left, pair.right) for pair in similar_pairs(texts)] == [(1, 3)]
    assert near_duplicate_groups(texts) == [(1, 3)]


def test_case_width_space_and_punctuation_do_not_count() -> None:
    texts = ["Use   the NEW gateway, please!", "use the new gateway please", "Ｕｓｅ the new\ngateway; please…"]
    assert near_duplicate_groups(texts) == [(0, 1, 2)]
    assert {pair.containment for pair in similar_pairs(texts)} == {1.0}


def test_a_part_is_contained_in_the_whole() -> None:
    whole = document(random.Random(1), ENGLISH, lines=40)
    part = "\n".join(whole.split("\n")[:20])
    (pair,) = similar_pairs([part, "nothing of the kind", whole])
    assert (pair.left, pair.right, pair.containment) == (0, 2, 1.0)
    assert pair.resemblance == pytest.approx(0.5, abs=0.05)


@pytest.mark.proves("R-PAIN-P100")
@pytest.mark.parametrize("copies", [9, 40])
def test_one_fact_many_times_is_one_group(copies: int) -> None:
    texts = [
        f"Remember: the staging database is reset every Monday night, see ticket {number}" for number in range(copies)
    ]
    assert near_duplicate_groups([*texts, "something else"]) == [tuple(range(copies))]


def test_what_everybody_shows_makes_nobody_meet() -> None:
    source = random.Random(5)
    header = "Licensed under the Apache License, Version 2.0; you may not use this file except in compliance.\n"
    texts = [header + document(source, ENGLISH) for _ in range(300)]
    assert similar_pairs(texts) == ()


@given(st.lists(mixed_text, max_size=12), st.randoms(use_true_random=False))
def test_order_changes_nothing(texts: list[str], shuffler: random.Random) -> None:
    order = list(range(len(texts)))
    shuffler.shuffle(order)
    shuffled = [texts[number] for number in order]
    expected = {frozenset((pair.left, pair.right)): pair.resemblance for pair in similar_pairs(texts)}
    found = {frozenset((order[pair.left], order[pair.right])): pair.resemblance for pair in similar_pairs(shuffled)}
    assert found == expected


@given(st.lists(mixed_text, max_size=12))
def test_pairs_and_groups_agree(texts: list[str]) -> None:
    pairs = similar_pairs(texts)
    assert list(pairs) == sorted(pairs, key=lambda pair: (pair.left, pair.right))
    assert all(pair.left < pair.right and 0 <= pair.resemblance <= pair.containment <= 1 for pair in pairs)
    groups = near_duplicate_groups(texts)
    assert sorted({number for group in groups for number in group}) == sorted(
        {number for pair in pairs for number in (pair.left, pair.right)}
    )
    members = [set(group) for group in groups]
    assert all(any({pair.left, pair.right} <= group for group in members) for pair in pairs)


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["a"], ["!?", "…"], ["a", "b"], ["字", "词"]])
def test_little_or_nothing_is_like_nothing(texts: list[str]) -> None:
    assert similar_pairs(texts) == ()
    assert near_duplicate_groups(texts) == []


def test_equal_texts_are_alike() -> None:
    assert similar_pairs(["a", "a"]) == (Pair(left=0, right=1, resemblance=1.0, containment=1.0),)
    assert near_duplicate_groups(["字", "x", "字"]) == [(0, 2)]


def test_a_text_spread_over_blocks_is_one_text() -> None:
    source = random.Random(2)
    long = document(source, ENGLISH, lines=12_000)
    (pair,) = similar_pairs([long, "between", edited(source, long)])
    assert (pair.left, pair.right) == (0, 2)
    assert pair.containment > 0.99


def test_hash_seeds_change_nothing() -> None:
    code = (
        "from conspectus.text.shingles import similar_pairs;"
        "print(similar_pairs(['The service uses PostgreSQL', 'The service uses MySQL', '数据库是甲', '数据库是乙']))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_time_grows_with_the_number_of_texts() -> None:
    """Code is full of what many share: ten times as many texts may take at most thirty times as long."""
    source = random.Random(9)
    shared = [document(source, ENGLISH, lines=1) for _ in range(50)]
    texts = [
        source.choice(shared) + "\n" + document(source, ENGLISH) + "\n" + source.choice(shared) for _ in range(10_000)
    ]
    similar_pairs(texts[:100])
    begun = time.process_time()
    similar_pairs(texts[:1_000])
    small = time.process_time() - begun
    begun = time.process_time()
    similar_pairs(texts)
    assert time.process_time() - begun < 30 * max(small, 0.01)
