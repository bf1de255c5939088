"""quality measures what its formulas say, and its advice names the option that would help."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.call import Slot
from conspectus.core.manifest import Decision, Reason, Stage, Verdict
from conspectus.errors import InputError
from conspectus.inspection.instructions import Fault, review
from conspectus.inspection.quality import FORMULAS, Quality, assess
from tests.inspection import scenes
from tests.inspection.scenes import assembled, instruction, item

MEASURES = tuple(FORMULAS)
TOLD = item("memory/long", "Something about boats. " * 300, kind=scenes.Kind.MEMORY)


def judged(*evidence: scenes.ContextItem, **options: object) -> Quality:
    assembly = assembled(*evidence, **options)  # type: ignore[arg-type]
    return assess(assembly.manifest, assembly.candidates)


@pytest.mark.proves("R-DOOR-QUALITY")
@given(
    chosen=st.lists(st.sampled_from(scenes.EVIDENCE), min_size=1, unique_by=lambda one: one.item_id),
    limit=st.integers(600, 9_000),
    has_archive=st.booleans(),
)
def test_every_measure_lies_between_0_and_1_or_cannot_be_said(
    chosen: list[scenes.ContextItem], limit: int, has_archive: bool
) -> None:
    assembly = assembled(*(one for one in chosen if one not in (scenes.OLD, scenes.SUMMARY)), limit=limit)
    quality = assess(assembly.manifest, assembly.candidates if has_archive else None)
    values = [getattr(quality, name) for name in MEASURES]
    assert all(value is None or 0.0 <= value <= 1.0 for value in values)
    assert quality.budget_use == assembly.manifest.input_tokens / assembly.manifest.input_limit
    assert (quality.duplication is None) is not has_archive
    assert quality.density <= 1.0 - assembly.manifest.scaffold_tokens / assembly.manifest.input_tokens + 1e-9


@pytest.mark.proves("R-DOOR-QUALITY")
def test_relevance_is_the_mean_by_tokens() -> None:
    assembly = assembled(limit=100_000)
    ends = {one.subject: dict(one.scores) for one in assembly.manifest.decisions if one.verdict is Verdict.KEPT}
    optional = [record for record in assembly.manifest.items if not record.mandatory]
    ranked = [record for record in optional if "relevance" in ends.get(record.id, {})]
    mean = sum(ends[r.id]["relevance"] * r.tokens for r in ranked) / sum(r.tokens for r in ranked)
    expected = mean / max(ends[r.id]["relevance"] for r in ranked)
    quality = assess(assembly.manifest, assembly.candidates)
    assert quality.relevance is not None
    assert quality.relevance == pytest.approx(expected, rel=0.05)
    assert judged(scenes.PERIOD).relevance == 1.0
    unrelated = judged(scenes.PERIOD, scenes.CANTEEN)
    assert unrelated.relevance is not None
    assert unrelated.relevance < 0.3


@pytest.mark.proves("R-DOOR-QUALITY", "R-SOURCE-SLOTS")
def test_completeness_is_the_share_of_slots_that_are_filled() -> None:
    quality = judged(scenes.PERIOD, slots=scenes.SLOTS)
    assert (quality.completeness, quality.missing_slots) == (0.5, ("restocking fee",))
    assert any("restocking fee" in advice and "--in" in advice for advice in quality.suggestions)
    assert judged(scenes.PERIOD).completeness is None


@pytest.mark.parametrize(
    ("slot", "fills"),
    [
        (Slot(name="30 days"), True),
        (Slot(name="days of grace"), False),
        (Slot(name="n", match=("30 days", "delivery")), True),
        (Slot(name="n", match=("30 days", "refund")), False),
        (Slot(name="n", source="file/docs/*"), True),
        (Slot(name="n", source="file:docs/terms.md"), True),
        (Slot(name="n", source="note/*"), False),
        (Slot(name="n", match=("refund",), source="file/docs/*"), False),
        (Slot(name="n", match=("三十天内",)), True),
        (Slot(name="kettle", source="request"), False),
    ],
)
def test_slots_given_later_are_filled_by_the_same_rule(slot: Slot, fills: bool) -> None:
    assembly = assembled(scenes.PERIOD, scenes.CHINESE)
    quality = assess(assembly.manifest, assembly.candidates, [slot])
    assert quality.completeness == float(fills)
    at_once = assembled(scenes.PERIOD, scenes.CHINESE, slots=[slot])
    assert bool(at_once.manifest.slots[0].filled_by) is fills


def test_slots_cannot_be_judged_without_content() -> None:
    with pytest.raises(InputError, match="archived content is gone"):
        assess(assembled(scenes.PERIOD).manifest, None, scenes.SLOTS)


@pytest.mark.proves("R-DOOR-QUALITY")
def test_repetition_lowers_density_and_raises_duplication() -> None:
    text = " ".join(f"word{number}" for number in range(60))
    single = judged(item("file/a.txt", text))
    again = item(
        "file/b.txt", f"{text} and something else at the very end of it, which is new", kind=scenes.Kind.HISTORY
    )
    double = judged(item("file/a.txt", text, kind=scenes.Kind.HISTORY), again)
    assert single.duplication == 0.0
    assert double.duplication is not None
    assert 0.3 < double.duplication < 0.6
    assert double.density < single.density
    assert any("repeats itself" in advice for advice in double.suggestions)


def test_the_question_is_covered_by_evidence_and_not_by_itself() -> None:
    quality = judged(scenes.PERIOD)
    assert "customers" in quality.uncovered_words
    assert "kettle" not in quality.uncovered_words
    assert quality.question_coverage is not None
    assert 0.0 < quality.question_coverage < 1.0
    assert judged(scenes.CANTEEN).question_coverage == 0.0


@pytest.mark.proves("R-DOOR-QUALITY")
@pytest.mark.parametrize(
    ("question", "evidence", "lost"),
    [
        ("失败重试几次后报警？", "失败后重试五次，然后报警。", ()),
        ("失败重试几次后报警？", "Retries fail five times.", ("失败重试几次后报警",)),
        ("退货期限是多少天？客服电话呢？", "退货期限为三十天。", ("客服电话呢",)),
        ("再試行の回数", "設定: 再試行の回数は五回", ()),
        ("배송 기간은 며칠인가요", "배송 기간은 사흘입니다", ("며칠인가요",)),
        ("Where is getUserName configured?", "The user name is read; get it there.", ("configured",)),
        ("Where is max_retries?", "retries = 5", ("max_retries",)),
        ("__init__ or what?", "init", ()),
    ],
)
def test_words_of_the_question_are_named_whole(question: str, evidence: str, lost: tuple[str, ...]) -> None:
    assembly = assembled(item("note/n", evidence), question=question)
    quality = assess(assembly.manifest, assembly.candidates)
    assert quality.uncovered_words == lost
    assert all(any(word in advice for advice in quality.suggestions) for word in lost)


@given(st.text(st.sampled_from("失败重试次报警 getNameX_9退货")), st.text(st.sampled_from("失败重试次报警 getNameX_9")))
def test_a_word_is_lost_only_where_coverage_is_not_full(question: str, evidence: str) -> None:
    assembly = assembled(item("note/n", f"x {evidence}"), question=f"q {question}")
    quality = assess(assembly.manifest, assembly.candidates)
    assert quality.question_coverage is not None
    assert quality.question_coverage < 1.0 or not quality.uncovered_words
    assert all(word in f"q {question}" for word in quality.uncovered_words)


@pytest.mark.proves("R-DOOR-QUALITY")
def test_conflicts_are_named_and_weighed() -> None:
    assembly = assembled(scenes.PERIOD)
    group = (scenes.PERIOD.item_id, "memory/other")
    items = tuple(replace(r, conflict="c1" if r.id in group else "") for r in assembly.manifest.items)
    quality = assess(replace(assembly.manifest, conflicts=(group,), items=items))
    tokens = {record.id: record.tokens for record in items}
    assert quality.conflicts == (group,)
    assert quality.conflict_rate == tokens[scenes.PERIOD.item_id] / sum(tokens.values())
    assert any("supersedes" in advice for advice in quality.suggestions)


def test_sources_are_covered_where_something_of_them_is_in() -> None:
    assert judged(scenes.PERIOD, scenes.HIDDEN).source_coverage == 1.0
    assert judged(scenes.PERIOD, scenes.CANTEEN, TOLD, limit=900).source_coverage == 0.75


def test_recency_is_told_where_times_are_known() -> None:
    fresh, old = (item("note/n", "kettle", observed_at=scenes.NOW - scenes.timedelta(days=days)) for days in (0, 3_000))
    assert judged(fresh).recency == pytest.approx(1.0)
    stale = judged(old)
    assert stale.recency == pytest.approx(0.0)
    assert any("observed_at" in advice for advice in stale.suggestions)
    assert judged(replace(fresh, observed_at=None)).recency is None


@pytest.mark.proves("R-DOOR-QUALITY")
@pytest.mark.parametrize(
    ("reason", "option"),
    [
        (Reason.BUDGET_EXCEEDED, "--input-limit"),
        (Reason.SHARE_EXCEEDED, "--share"),
        (Reason.BELOW_RELEVANCE, "ranking policy"),
        (Reason.DEPENDENCY_ABSENT, "--items"),
        (Reason.TOO_LARGE, "--items"),
        (Reason.BINARY, "--items"),
    ],
)
def test_every_loss_has_its_advice(reason: Reason, option: str) -> None:
    manifest = assembled(limit=1_000).manifest
    lost = Decision(subject="note/lost", stage=Stage.SELECT, verdict=Verdict.OMITTED, reason=reason)
    full = replace(manifest, decisions=(lost,), input_limit=manifest.input_tokens)
    assert any(option in advice and "1 " in advice for advice in assess(full).suggestions)


def test_a_failed_source_and_unused_room_are_told() -> None:
    quality = judged(scenes.PERIOD, limit=50_000)
    assert any(advice.startswith("source/crm failed (ConnectionError)") for advice in quality.suggestions)
    assert any("unused" in advice for advice in quality.suggestions)


@pytest.mark.proves("R-DOOR-QUALITY")
@pytest.mark.parametrize(
    ("texts", "faults"),
    [
        ([], [Fault.ABSENT]),
        (["# Role\n\n---\n"], [Fault.EMPTY]),
        (["…"], [Fault.EMPTY]),
        (["You are an excellent code assistant, please review the code."], [Fault.WITHOUT_RUBRIC]),
        (["你是优秀代码助手，请审查代码"], [Fault.WITHOUT_RUBRIC]),
        (["You are a reviewer. Output a list of findings and cite the line."], []),
        (["你是审查员。必须列出每个问题的行号。"], []),
        (["あなたは校閲者です。行番号を必ず引用する。"], []),
        (["당신은 검토자입니다. 출력은 목록 형식으로."], []),
        (["Be kind.", "Return JSON that matches the schema."], []),
        (["# Only a heading", "Cite every source."], [Fault.EMPTY]),
    ],
)
def test_faults_of_instructions(texts: list[str], faults: list[Fault]) -> None:
    items = [instruction(str(number), text) for number, text in enumerate(texts)]
    assert [finding.fault for finding in review(items)] == faults


@pytest.mark.proves("R-DOOR-QUALITY")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always cite the source of each claim.", "Never cite the source of each claim."),
        ("The answer must contain at most 100 words.", "The answer must contain at most 300 words."),
        ("回答必须引用来源。", "回答不得引用来源。"),
    ],
)
def test_instructions_that_contradict_each_other_are_named_with_both_sentences(one: str, other: str) -> None:
    items = [instruction("a", f"You check contracts.\n{one}"), instruction("b", f"{other} Be polite.")]
    found = [finding for finding in review(items) if finding.fault is Fault.CONTRADICTORY]
    assert [finding.subjects for finding in found] == [("instruction/a", "instruction/b")]
    assert found[0].detail == (one, other)
    alone = [
        finding for finding in review([instruction("c", f"{one}\n{other}")]) if finding.fault is Fault.CONTRADICTORY
    ]
    assert [finding.subjects for finding in alone] == [("instruction/c",)]


def test_findings_become_advice() -> None:
    rules = (
        instruction("a", "Always cite the source."),
        instruction("b", "Never cite the source."),
        instruction("c", "#"),
    )
    suggestions = judged(scenes.PERIOD, rules=rules).suggestions
    assert any("“Always cite the source.” contradicts “Never cite the source.”" in advice for advice in suggestions)
    assert any(advice.startswith("instruction/c: nothing but headings") for advice in suggestions)
    assert any("no instruction was given" in advice for advice in judged(scenes.PERIOD, rules=()).suggestions)


def test_many_names_are_cut() -> None:
    skipped = [
        Decision(subject=f"file/{n}.png", stage=Stage.GATHER, verdict=Verdict.OMITTED, reason=Reason.BINARY)
        for n in range(9)
    ]
    quality = assess(replace(assembled(scenes.PERIOD).manifest, decisions=tuple(skipped)))
    assert any("file/0.png, file/1.png, file/2.png and 6 more" in advice for advice in quality.suggestions)
