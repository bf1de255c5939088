"""diagnose names exactly one cause, the right one, and tells nobody what they may not know."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.call import Form
from conspectus.core.manifest import Decision, Reason, Stage, Verdict
from conspectus.errors import InputError
from conspectus.inspection.diagnose import Cause, Diagnosis, Knowledge, diagnose
from conspectus.inspection.facts import Fact, quotes
from tests.inspection import scenes
from tests.inspection.scenes import assembled, item

ROOMY = assembled(limit=100_000)
TIGHT = assembled(limit=1_200)
FORMS = [Form.TEXT, Form.JSON, Form.OPENAI]


def asked(
    what: str,
    assembly: scenes.Assembly = ROOMY,
    answer: str | None = None,
    *,
    operator: bool = True,
    body: str | None = "",
) -> Diagnosis:
    given = Knowledge(
        candidates=assembly.candidates,
        body=assembly.payload.body if body == "" else body,
        answer=answer,
        operator=operator,
    )
    return diagnose(assembly.manifest, what, given)


@pytest.mark.proves("R-CAUSE-NOT-RETRIEVED")
@pytest.mark.parametrize(
    ("what", "explained"),
    [
        ("logo.png", "file/logo.png was not read, binary: not text"),
        ("build/lib.so", "file/build/ was not read, ignored: .gitignore:1"),
        ("crm", "source/crm failed (ConnectionError)"),
        ("source/crm", "source/crm failed (ConnectionError)"),
        ("crm/customer-7", "source/crm (ConnectionError)"),
    ],
)
def test_what_no_source_offered_was_not_retrieved(what: str, explained: str) -> None:
    told = asked(what)
    assert told.cause is Cause.NOT_RETRIEVED
    assert explained in told.explanation


@pytest.mark.proves("R-CAUSE-NOT-RETRIEVED")
def test_a_fact_that_is_nowhere_was_not_retrieved() -> None:
    assembly = assembled(scenes.PERIOD, scenes.LATER)
    for what in ("kettles explode at 400 degrees", "火星上的退货政策", "file/absent.md"):
        told = asked(what, assembly)
        assert told.cause is Cause.NOT_RETRIEVED
        assert "source/crm (ConnectionError)" in told.explanation
        assert "canary" not in told.explanation


@pytest.mark.proves("R-CAUSE-NOT-AUTHORIZED")
@pytest.mark.parametrize("what", ["Our margin on kettles is 61 percent", scenes.SECRET.item_id, "source/files"])
def test_what_was_withheld_is_told_to_an_operator_only(what: str) -> None:
    told = asked(what)
    assert told.cause is Cause.NOT_AUTHORIZED
    assert "may not" in told.explanation
    hidden = asked(what, operator=False)
    assert hidden.cause is Cause.NOT_RETRIEVED
    assert "may not" not in hidden.explanation


@pytest.mark.proves("R-CAUSE-NOT-AUTHORIZED")
def test_who_has_gathered_what_was_withheld_gets_certainty() -> None:
    known = Knowledge(candidates=ROOMY.candidates, withheld=(scenes.SECRET,), operator=True)
    for what in ("margin on kettles is 61 percent", scenes.SECRET.item_id):
        told = diagnose(ROOMY.manifest, what, known)
        assert told.cause is Cause.NOT_AUTHORIZED
        assert told.explanation.startswith("note/margin holds it")
    assert diagnose(ROOMY.manifest, "kettles explode at 400 degrees", known).cause is Cause.NOT_RETRIEVED
    barred = replace(known, operator=False)
    assert diagnose(ROOMY.manifest, scenes.SECRET.item_id, barred).cause is Cause.NOT_RETRIEVED


@pytest.mark.proves("R-CAUSE-NOT-AUTHORIZED")
def test_what_had_expired_counts_as_not_authorized() -> None:
    told = asked(scenes.EXPIRED.item_id)
    assert (told.cause, told.subjects) == (Cause.NOT_AUTHORIZED, (scenes.EXPIRED.item_id,))
    assert "expired" in told.explanation
    hidden = asked(scenes.EXPIRED.item_id, operator=False)
    assert hidden.cause is Cause.NOT_RETRIEVED
    assert scenes.EXPIRED.item_id not in f"{hidden.subjects}{hidden.explanation}{hidden.decision}"


@pytest.mark.proves("R-CAUSE-EXCLUDED")
@pytest.mark.parametrize("what", [scenes.CANTEEN.item_id, "menu.txt", "serves SOUP  on\nmondays"])
def test_what_lost_is_told_with_its_score_its_price_and_what_it_lost_to(what: str) -> None:
    told = asked(what, assembled(limit=700))
    assert told.cause is Cause.EXCLUDED
    assert told.decision is not None
    assert told.decision.reason is Reason.BUDGET_EXCEEDED
    assert dict(told.decision.scores).keys() >= {"relevance", "value"}
    assert told.price > 0
    assert told.lost_to
    assert "raise --input-limit" in told.explanation


@pytest.mark.proves("R-CAUSE-EXCLUDED")
@pytest.mark.parametrize(
    ("what", "reason", "by"),
    [
        (scenes.COPY.item_id, Reason.DUPLICATE, scenes.PERIOD.item_id),
        (scenes.OLD.item_id, Reason.SUPERSEDED, scenes.NEW.item_id),
        ("may be returned within 14 days", Reason.SUPERSEDED, scenes.NEW.item_id),
    ],
)
def test_copies_and_old_versions_are_told_with_what_stands_for_them(what: str, reason: Reason, by: str) -> None:
    told = asked(what)
    assert told.cause is Cause.EXCLUDED
    assert told.decision is not None
    assert (told.decision.reason, told.lost_to) == (reason, (by,))


@pytest.mark.proves("R-CAUSE-EXCLUDED")
def test_a_fact_in_a_copy_counts_where_its_other_copy_is_in() -> None:
    assert asked("returned within 30 days of delivery").cause is Cause.PROVIDED


@pytest.mark.proves("R-CAUSE-REDUCED")
@pytest.mark.parametrize("form", FORMS)
def test_what_a_rung_cut_away_is_told_with_where_the_whole_is(form: Form) -> None:
    assembly = assembled(scenes.LOG, scenes.PERIOD, limit=2_200, form=form)
    (record,) = [record for record in assembly.manifest.items if record.id == scenes.LOG.item_id]
    assert [link.step for link in record.transformations] == ["shorten"]
    for what in (scenes.MIDDLE_FACT, scenes.LOG.item_id):
        told = asked(what, assembly)
        assert (told.cause, told.pointer) == (Cause.LOST, "shell:returns.log")
    assert asked("line 1: kettle returned to shelf 1", assembly).cause is Cause.PROVIDED
    assert asked(scenes.MIDDLE_FACT, assembly, body=None).cause is Cause.LOST


@pytest.mark.proves("R-CAUSE-REDUCED")
def test_what_went_into_a_checkpoint_is_told_with_the_original() -> None:
    told = asked("history/2")
    assert (told.cause, told.pointer) == (Cause.LOST, "history/2")
    assert told.record is not None
    assert told.record.id == scenes.SUMMARY.item_id


@pytest.mark.proves("R-CAUSE-SERIALIZATION")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "what", [scenes.PERIOD.item_id, "within 30 days of delivery", scenes.CHINESE.item_id, "收到商品后三十天内可以退货"]
)
def test_what_was_let_in_and_is_not_in_the_body_is_broken(form: Form, what: str) -> None:
    assembly = assembled(limit=100_000, form=form)
    body = assembly.payload.body
    assert asked(what, assembly).cause is Cause.PROVIDED
    for text in ("within 30 days of delivery", "收到商品后三十天内可以退货"):
        assert text in body
        body = body.replace(text, "within the usual time")
    assert asked(what, assembly, body=body).cause is Cause.BROKEN
    assert asked(what, assembly, body="").cause is Cause.PROVIDED
    assert asked(what, assembly, body="nothing at all").cause is Cause.BROKEN


@pytest.mark.proves("R-CAUSE-SERIALIZATION")
@pytest.mark.parametrize("form", FORMS)
def test_nothing_that_was_let_in_is_ever_broken(form: Form) -> None:
    assembly = assembled(limit=100_000, form=form)
    assert {record.kind for record in assembly.manifest.items} >= {"history", "tool_schema", "checkpoint", "request"}
    for record in assembly.manifest.items:
        assert asked(record.id, assembly).cause is Cause.PROVIDED, record.id


@pytest.mark.proves("R-CAUSE-SERIALIZATION")
def test_a_turn_that_is_not_in_the_chat_is_broken() -> None:
    assembly = assembled(limit=100_000, form=Form.OPENAI)
    assert asked("history/8", assembly, body=assembly.payload.body.replace("12 kettles", "some")).cause is Cause.BROKEN
    assert asked("tool/weigh", assembly, body=assembly.payload.body.replace("weigh", "x")).cause is Cause.BROKEN


def test_a_fact_written_with_hidden_characters_is_found_after_cleaning() -> None:
    assert asked("Kettles are blue and round").cause is Cause.PROVIDED
    assert asked("Kettles are blue\u202e and round").cause is Cause.PROVIDED


@pytest.mark.proves("R-CAUSE-NOT-USED")
@pytest.mark.parametrize(
    ("what", "answer", "cause"),
    [
        ("within 30 days", "Customers have thirty-one days.", Cause.NOT_USED),
        ("within 30 days", "They have to come back WITHIN 30  days.", Cause.PROVIDED),
        ("三十天内可以退货", "不清楚退货期限。", Cause.NOT_USED),
        ("三十天内可以退货", "收货后三十天内可以退货。", Cause.PROVIDED),
        (scenes.PERIOD.item_id, "No idea.", Cause.NOT_USED),
        (scenes.PERIOD.item_id, "See file/docs/terms.md#L1-4.", Cause.PROVIDED),
        (scenes.PERIOD.item_id, "It may be returned within 30 days.", Cause.PROVIDED),
        (scenes.PERIOD.item_id, "", Cause.NOT_USED),
        (scenes.COPY.item_id, "No idea.", Cause.EXCLUDED),
    ],
)
def test_what_was_provided_is_looked_for_in_the_answer(what: str, answer: str, cause: Cause) -> None:
    assert asked(what, answer=answer).cause is cause


@pytest.mark.proves("R-CAUSE-NOT-USED")
def test_without_an_answer_it_is_asked_for() -> None:
    told = asked("within 30 days of delivery")
    assert told.cause is Cause.PROVIDED
    assert "--answer" in told.explanation


def test_a_word_of_the_question_is_no_evidence() -> None:
    assembly = assembled(scenes.LATER)
    assert asked("How many days do customers have to return a kettle?", assembly).cause is Cause.NOT_RETRIEVED


@pytest.mark.proves("R-CAUSE-EXCLUDED")
def test_what_lost_to_the_mandatory_items_alone_is_told_so() -> None:
    told = asked(scenes.CANTEEN.item_id, assembled(scenes.CANTEEN, limit=400))
    assert (told.cause, told.price) == (Cause.EXCLUDED, 0.0)
    assert scenes.RULES.item_id in told.lost_to


def test_a_file_of_which_only_parts_are_in_says_how_many() -> None:
    parts = [item(f"file/long.txt#L{n}-{n}", f"paragraph {n} about parcels " * 40) for n in range(1, 6)]
    told = asked("long.txt", assembled(*parts, limit=1_000))
    assert told.cause is Cause.PROVIDED
    assert " of 5 parts in the payload: " in told.explanation


@pytest.mark.parametrize("what", ["", "  ", "\u202e"])
def test_nothing_cannot_be_diagnosed(what: str) -> None:
    with pytest.raises(InputError):
        asked(what)


@pytest.mark.proves("R-EXIT-3")
def test_without_the_archive_only_what_the_manifest_names_can_be_diagnosed() -> None:
    assert diagnose(ROOMY.manifest, scenes.COPY.item_id, Knowledge()).cause is Cause.EXCLUDED
    with pytest.raises(InputError, match="archived content is needed"):
        diagnose(ROOMY.manifest, "a fact of some kind", Knowledge())


@pytest.mark.proves("R-CAUSE-ONE")
@given(data=st.data())
def test_whatever_is_asked_has_exactly_one_cause_and_it_agrees_with_the_manifest(data: st.DataObject) -> None:
    assembly = data.draw(st.sampled_from([ROOMY, TIGHT]))
    decision = data.draw(st.sampled_from([*assembly.manifest.decisions]))
    told = asked(decision.subject, assembly, data.draw(st.sampled_from([None, "An answer."])))
    assert isinstance(told.cause, Cause)
    assert told.explanation
    ends = [
        one for one in assembly.manifest.decisions if one.subject == decision.subject and one.stage is not Stage.GATHER
    ]
    if any(one.verdict is Verdict.OMITTED for one in ends):
        assert told.cause in (Cause.EXCLUDED, Cause.NOT_AUTHORIZED)
    if any(one.verdict is Verdict.KEPT for one in ends):
        assert told.cause in (Cause.PROVIDED, Cause.NOT_USED)


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        (reason, Cause.NOT_RETRIEVED)
        for reason in (Reason.MALFORMED, Reason.UNREADABLE, Reason.TOO_LARGE, Reason.IGNORED, Reason.BINARY)
    ]
    + [(reason, Cause.EXCLUDED) for reason in (Reason.SHARE_EXCEEDED, Reason.BELOW_RELEVANCE, Reason.DEPENDENCY_ABSENT)]
    + [(Reason.NEAR_DUPLICATE, Cause.EXCLUDED), (Reason.REDUCED, Cause.LOST), (Reason.EXPIRED, Cause.NOT_AUTHORIZED)],
)
def test_every_reason_to_leave_out_has_one_cause(reason: Reason, cause: Cause) -> None:
    left_out = Decision(
        subject="note/x", stage=Stage.SELECT, verdict=Verdict.OMITTED, reason=reason, related=("note/y",)
    )
    manifest = replace(ROOMY.manifest, decisions=(*ROOMY.manifest.decisions, left_out))
    told = diagnose(manifest, "note/x", Knowledge(operator=True))
    assert told.cause is cause
    assert told.explanation


@pytest.mark.proves("R-CONTRACT-SCRIPTS")
@pytest.mark.parametrize(
    ("fact", "text", "holds"),
    [
        ("30 days", "within ３０  DAYS", True),
        ("retry limit is five", "The limit for a retry: five.", True),
        ("retry limit five", "limit " + "word " * 60 + "five retry", False),
        ("退款期限三十天", "本店的退款期限为三十天。", True),
        ("退款期限三十天", "退款需要七天。", False),
        ("返品は三十日以内", "返品は三十日以内に限ります", True),
        ("반품 기간은 삼십 일", "반품  기간은 삼십 일 이내", True),
        ("maxRetries", "max_retries = 3", True),
        ("🙂", "all good 🙂", True),
        ("🙂", "all good", False),
        ("!!", "wow!!", True),
        ("a", "A b c", True),
    ],
)
def test_a_fact_is_held_whatever_its_script(fact: str, text: str, holds: bool) -> None:
    assert Fact(fact).held_by(text) is holds
    assert Fact(fact).holders(["nothing", text]) == ([1] if holds else [])


def test_word_for_word_comes_before_nearly() -> None:
    texts = ["the limit of the retry is five", "retry limit is five", "elsewhere"]
    assert Fact("retry limit is five").holders(texts) == [1]
    assert Fact("retry limit five").holders(texts) == [0, 1]


def test_an_answer_quotes_by_five_terms_in_a_row() -> None:
    text = "The returns desk opens at nine and closes at six."
    assert quotes("I think the desk opens at nine and closes early", text)
    assert not quotes("desk nine six opens", text)
    assert quotes("只有一个词", "只有一个词")
    assert not quotes("anything", "…")


def test_a_body_that_is_no_json_is_read_as_it_is() -> None:
    assembly = assembled(limit=100_000, form=Form.OPENAI)
    assert json.loads(assembly.payload.body)
    assert asked(scenes.PERIOD.item_id, assembly, body="{" * 100_000).cause is Cause.BROKEN
