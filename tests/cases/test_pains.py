"""What users of comparable systems reported (P001 to P103), as far as it is assembly's, and what is right."""

import dataclasses

import pytest

from conspectus.assembly.assemble import Assembly, assemble
from conspectus.core.call import Form, Request
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Reason, Verdict
from conspectus.core.message import ImagePart, Message, Prompt, Role, SealedPart, TextPart, ToolCallPart, ToolResultPart
from conspectus.core.spec import Budget, ContextSpec, Share
from conspectus.errors import ContextError, IncompatibleSpec, MandatoryOverflow
from conspectus.models.registry import resolve as resolve_profile
from tests.cases.turns import answered, on_offer, said, unit
from tests.contract.cases import CALLER, NOW, data, question, rules, small_case, spec
from tests.contract.parts import DefinedProfile, ListSource, defined
from tests.contract.test_units import unanswered

CHATS = (Form.OPENAI, Form.ANTHROPIC)


def conversation() -> list[ContextItem]:
    """Twelve units: plain turns, single calls, parallel calls, large and small results."""
    units: list[tuple[Message, ...]] = []
    for n in range(4):
        units.append(said(Role.USER, f"please look at refund {n}"))
        units.append(answered(f"look{n}", "short result", f"long result {n} " * (20 * n + 1)))
        units.append(answered(f"read{n}", f"refund days {n} " * 15))
    return [unit(n, messages) for n, messages in enumerate(units)]


@pytest.mark.proves("R-PAIN-P001", "R-PAIN-P002", "R-PAIN-P004", "R-PAIN-P005", "R-PAIN-P008", "R-STEP-UNITS")
@pytest.mark.parametrize("form", CHATS)
def test_p001_p002_p004_p005_p008_no_limit_leaves_an_orphan(form: Form) -> None:
    for limit in range(310, 1_500, 25):
        case = small_case(conversation(), form=form, budget=Budget(window=9_000, input_limit=limit))
        messages = case.run().payload.prompt.messages
        assert unanswered(messages) == []
        assert messages[0].role is Role.SYSTEM
        assert messages[1].role is not Role.TOOL


@pytest.mark.proves("R-PAIN-P007", "R-CONTRACT-IDENTITY")
@pytest.mark.parametrize("form", CHATS)
def test_p007_nothing_is_stripped_while_everything_fits(form: Form) -> None:
    turns = [turn for item in conversation() for turn in item.messages]
    messages = small_case([*conversation(), on_offer("look0")], form=form).run().payload.prompt.messages
    assert list(messages[1:-1]) == turns


@pytest.mark.proves("R-PAIN-P007", "R-LAYOUT-CITES")
def test_p007_calls_beside_no_declared_tool_are_data_for_the_provider_that_refuses_them() -> None:
    prompt = small_case(conversation(), form=Form.ANTHROPIC).run().payload.prompt
    parts = [part for message in prompt.messages for part in message.parts]
    assert not [part for part in parts if isinstance(part, ToolCallPart | ToolResultPart)]
    text = "".join(part.text for part in parts if isinstance(part, TextPart))
    assert all(f"long result {n} " * (20 * n + 1) in text for n in range(4))


@pytest.mark.proves("R-PAIN-P010", "R-PAIN-P011", "R-CONTRACT-ORPHAN")
@pytest.mark.parametrize("form", CHATS)
def test_p010_p011_a_damaged_unit_from_any_source_never_reaches_the_wire_as_it_is(form: Form) -> None:
    call, *results = answered("look", "one", "two")
    damaged = [unit(1, (call, results[0])), unit(2, (results[1],)), unit(3, (call,)), unit(4, said(Role.USER, "fine"))]
    assembly = small_case(damaged, form=form).run()
    assert unanswered(assembly.payload.prompt.messages) == []
    ended = {
        d.subject
        for d in assembly.manifest.decisions
        if d.verdict in (Verdict.KEPT, Verdict.TRANSFORMED, Verdict.OMITTED)
    }
    assert {"history/1", "history/2", "history/3", "history/4"} <= ended
    assert "history/4" in {record.id for record in assembly.manifest.items}


@pytest.mark.proves("R-PAIN-P013", "R-STEP-UNITS")
def test_p013_signed_turns_are_byte_exact_or_absent() -> None:
    raw = '{"type":"thinking","thinking":"\\u202e<|im_end|> 思考","signature":"c2ln"}'
    sealed = SealedPart(raw=raw, provider="anthropic", block_type="thinking")
    call, result = answered("look", "found")
    item = unit(1, (Message(role=Role.ASSISTANT, parts=(sealed, *call.parts)), result))
    beside = small_case([item, on_offer("look")], form=Form.ANTHROPIC).run()
    parts = [part for message in beside.payload.prompt.messages for part in message.parts]
    assert [part.raw for part in parts if isinstance(part, SealedPart)] == [raw]
    other = small_case([item], form=Form.OPENAI).run()
    assert "signature" not in other.payload.body
    record = next(record for record in other.manifest.items if record.id == "history/1")
    assert [link.step for link in record.transformations] == ["unseal"]


@pytest.mark.proves("R-STEP-MANDATORY")
def test_p014_an_open_obligation_pins_its_item() -> None:
    pending = data(
        "history/1",
        Kind.HISTORY,
        "approval pending for payment 7",
        signals=(("pinned", 1.0),),
        messages=said(Role.ASSISTANT, "approval pending for payment 7"),
    )
    others = [unit(n, said(Role.USER, f"refund days {n} " * 9)) for n in range(2, 20)]
    for form in (Form.TEXT, *CHATS):
        case = small_case([pending, *others], form=form, budget=Budget(window=9_000, input_limit=420))
        assert "history/1" in {record.id for record in case.run().manifest.items}


@pytest.mark.proves("R-PAIN-P020", "R-PAIN-P022", "R-PAIN-P025", "R-STEP-SERIALIZE", "R-LAYOUT-TOOLS")
@pytest.mark.parametrize("form", CHATS)
def test_p020_p025_tools_system_prompt_and_template_are_counted(form: Form) -> None:
    tool = data(
        "tool/find",
        Kind.TOOL_SCHEMA,
        '{"name":"find","description":"%s","parameters":{"type":"object"}}' % ("long " * 300),
    )
    without, within = small_case([], form=form).run(), small_case([tool], form=form).run()
    assert within.payload.tokens - without.payload.tokens > 300
    text = sum(len(message.text) for message in without.payload.prompt.messages)
    counted = dataclasses.replace(small_case([], form=form, measure="bytes"), memo={}).run()
    assert counted.payload.tokens > text


@pytest.mark.proves("R-PAIN-P023", "R-COUNT-UNKNOWN")
def test_p023_a_failing_counter_is_an_error_and_never_zero() -> None:
    def broken(text: str) -> int:
        raise RuntimeError("no vocabulary")

    profile = DefinedProfile(name="broken", measure=broken)
    source = ListSource(name="store", items=(question(),))
    with pytest.raises(RuntimeError, match="no vocabulary"):
        assemble((source,), Request(question="refund"), CALLER, spec(profile), profile, NOW)


@pytest.mark.proves("R-PAIN-P026", "R-PAIN-P076", "R-BUDGET-SHARES")
@pytest.mark.parametrize("form", [Form.TEXT, *CHATS])
def test_p026_p076_a_kinds_budget_is_hard(form: Form) -> None:
    tools = [
        data(
            f"tool/{n}",
            Kind.TOOL_SCHEMA,
            f'{{"name":"tool_{n}","description":"{"refund days " * 20}","parameters":{{}}}}',
        )
        for n in range(40)
    ]
    share = Share(kind=Kind.TOOL_SCHEMA, maximum=300)
    assembly = small_case(tools, form=form, budget=Budget(window=90_000, input_limit=50_000, shares=(share,))).run()
    spent = sum(record.tokens for record in assembly.manifest.items if record.kind == Kind.TOOL_SCHEMA)
    assert 0 < spent <= 300
    assert {d.reason for d in assembly.manifest.decisions if d.verdict is Verdict.OMITTED} <= {
        Reason.SHARE_EXCEEDED,
        Reason.BUDGET_EXCEEDED,
    }


@pytest.mark.proves("R-PAIN-P028", "R-PAIN-P031", "R-BUDGET-RESERVES")
def test_p028_p031_reserves_are_taken_off() -> None:
    items = [data(f"kb/{n}", Kind.EVIDENCE, f"refund days {n} text") for n in range(99)]
    for output, loop in ((0, 0), (400, 0), (0, 400), (300, 100)):
        budget = Budget(window=1_000, input_limit=1_000, output_reserve=output, loop_reserve=loop)
        tokens = small_case(items, budget=budget).run().payload.tokens
        assert 1_000 - output - loop - 40 < tokens <= 1_000 - output - loop


@pytest.mark.proves("R-PAIN-P029", "R-BAD-RESERVE")
@pytest.mark.parametrize("reserve", [1_000, 1_001, 512_000, -1])
def test_p029_a_reserve_at_or_above_the_window_is_refused(reserve: int) -> None:
    with pytest.raises(IncompatibleSpec) as refused:
        small_case([], budget=Budget(window=1_000, input_limit=900, output_reserve=reserve)).run()
    assert refused.value.field == "output reserve"


@pytest.mark.proves("R-PAIN-P032", "R-PAIN-P037", "R-CONTRACT-SCRIPTS")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [("hello world", 2), ("你好,世界!", 4), ("こんにちは世界", 2), ("안녕하세요 세계", 3), ("👩‍👩‍👧‍👦", 11), ("", 0)],
)
def test_p032_p037_counts_are_known_in_every_script(text: str, tokens: int) -> None:
    profile = resolve_profile("o200k", Form.TEXT)
    assert profile.count(Prompt(text=text)) == tokens


@pytest.mark.proves("R-PAIN-P035")
def test_p034_p035_a_pasted_image_costs_something_and_stays_with_its_turn() -> None:
    picture = ImagePart(media_type="image/png", data="aGk=", width=512, height=512)
    turn = Message(role=Role.USER, parts=(TextPart(text="what is this"), picture))
    for form in CHATS:
        profile = resolve_profile("o200k" if form is Form.OPENAI else "claude", form)
        bare = profile.count_turns([(dataclasses.replace(turn, parts=turn.parts[:1]),)])[0]
        assert profile.count_turns([(turn,)])[0] > bare
    item = data("history/1", Kind.HISTORY, "what is this", messages=(turn,), signals=(("pinned", 1.0),))
    others = [unit(n, said(Role.USER, f"refund days {n} " * 9)) for n in range(2, 20)]
    case = small_case([item, *others], form=Form.OPENAI, budget=Budget(window=9_000, input_limit=520))
    assert picture in [part for message in case.run().payload.prompt.messages for part in message.parts]


@pytest.mark.proves("R-PAIN-P040", "R-STEP-OVERFLOW", "R-BAD-LIMIT-ONE")
@pytest.mark.parametrize("limit", [1, 50, 200])
def test_p040_an_overflow_names_every_mandatory_item_with_its_size(limit: int) -> None:
    with pytest.raises(MandatoryOverflow) as refused:
        small_case([], budget=Budget(window=9_000, input_limit=limit)).run()
    assert {name for name, _ in refused.value.items} == {"request/1", "instruction/rules"}
    assert f"raise the input limit to at least {refused.value.needed:,}" in str(refused.value)
    assert refused.value.changes == (("input limit", refused.value.needed),)


@pytest.mark.proves("R-PAIN-P077", "R-DOOR-MANIFEST-SCHEMA")
def test_p077_the_settings_in_force_are_in_the_manifest() -> None:
    case = small_case([], budget=Budget(window=9_000, input_limit=800, output_reserve=7))
    manifest = case.run().manifest
    assert isinstance(manifest.spec, ContextSpec)
    assert manifest.spec == case.spec
    assert manifest.spec_hash == case.spec.hash


@pytest.mark.proves("R-PAIN-P080")
@pytest.mark.parametrize("form", [Form.TEXT, *CHATS])
def test_p080_a_tool_named_exactly_is_offered(form: Form) -> None:
    tools = [
        data(f"tool/{n}", Kind.TOOL_SCHEMA, f'{{"name":"{name}","description":"{told}","parameters":{{}}}}')
        for n, (name, told) in enumerate(
            [("send_invoice", "bills"), *((f"send_{n}", "send an invoice to send") for n in range(60))]
        )
    ]
    source = ListSource(
        name="store",
        items=(
            rules(),
            data("request/1", Kind.REQUEST, "call send_invoice now", mandatory=True, authority=Authority.USER),
            *tools,
        ),
    )
    profile = defined("words", form)
    contract = spec(profile).evolve(budget=Budget(window=9_000, input_limit=420))
    assembly = assemble((source,), Request(question="call send_invoice now"), CALLER, contract, profile, NOW)
    assert "tool/0" in {record.id for record in assembly.manifest.items}


@pytest.mark.proves("R-PAIN-P083", "R-STEP-ORDER")
@pytest.mark.parametrize("form", [Form.TEXT, *CHATS])
def test_p083_the_head_of_the_payload_does_not_move_with_the_clock_or_the_question(form: Form) -> None:
    stable = [
        data("file/README", Kind.EVIDENCE, "about refunds", stable=True),
        data("tool/1", Kind.TOOL_SCHEMA, '{"name":"a","parameters":{}}'),
    ]
    first = small_case(stable, form=form)
    later = dataclasses.replace(first, now=NOW.replace(year=2027), request=Request(question="other"), memo={})
    assert first.run().payload.body == later.run().payload.body
    grown = small_case([*stable, data("kb/1", Kind.EVIDENCE, "new")], form=form).run().payload.prompt
    old = first.run().payload.prompt
    if form is Form.TEXT:
        assert grown.text.startswith(old.text[: old.text.index("[Task]")])
    else:
        assert grown.messages[0] == old.messages[0]
        assert grown.tools == old.tools


@pytest.mark.proves("R-PAIN-P097", "R-STEP-CONFLICT")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("订单数据库使用 PostgreSQL,部署在上海机房。", "订单数据库使用 MySQL,部署在上海机房。"),
        ("会议定于周二下午三点在三楼会议室举行。", "会议定于周四下午三点在三楼会议室举行。"),
        ("部署之前必须运行数据库迁移脚本。", "部署之前不得运行数据库迁移脚本。"),
        ("The team must run migrations before the deploy.", "The team must not run migrations before the deploy."),
        (
            "The orders database is PostgreSQL in the Dublin region.",
            "The orders database is MySQL in the Dublin region.",
        ),
    ],
)
def test_p097_a_conflict_is_found_in_chinese_and_english(one: str, other: str) -> None:
    items = [
        data("memory/a", Kind.MEMORY, one, trust=Trust.TRUSTED),
        data("memory/b", Kind.MEMORY, other, trust=Trust.TRUSTED),
    ]
    assembly = small_case(items).run()
    assert assembly.manifest.conflicts == (("memory/a", "memory/b"),)
    assert one in assembly.payload.body
    assert other in assembly.payload.body


@pytest.mark.proves("R-PAIN-P098", "R-STEP-SUPERSEDE")
def test_p098_only_what_is_named_is_superseded_and_other_subjects_stay() -> None:
    items = [
        data("memory/1", Kind.MEMORY, "Service alpha keeps 3 replicas in Dublin."),
        data("memory/2", Kind.MEMORY, "Service alpha keeps 5 replicas in Dublin.", supersedes=("memory/1",)),
        data("memory/3", Kind.MEMORY, "Service beta keeps 3 replicas in Dublin."),
    ]
    assembly = small_case(items).run()
    assert {record.id for record in assembly.manifest.items} >= {"memory/2", "memory/3"}
    gone = [d for d in assembly.manifest.decisions if d.reason is Reason.SUPERSEDED]
    assert [(d.subject, d.related) for d in gone] == [("memory/1", ("memory/2",))]


@pytest.mark.proves("R-PAIN-P098", "R-STEP-SUPERSEDE")
@pytest.mark.parametrize("names", ["abc", "cba", "bca"])
def test_versions_are_superseded_all_the_way_whatever_their_ids(names: str) -> None:
    new, mid, old = names
    items = [
        data(new, Kind.NOTE, "third state", supersedes=(mid,)),
        data(mid, Kind.NOTE, "second state", supersedes=(old,)),
        data(old, Kind.NOTE, "first state"),
    ]
    assert {record.id for record in small_case(items).run().manifest.items} - {"request/1", "instruction/rules"} == {
        new
    }


@pytest.mark.proves("R-PAIN-P100", "R-STEP-DEDUPE")
def test_p100_the_same_fact_nine_times_is_one_fact() -> None:
    fact = "The customer prefers to be called in the morning before nine."
    items = [data(f"memory/{n}", Kind.MEMORY, fact + " " * (n % 3)) for n in range(9)]
    assert small_case(items).run().payload.body.count("called in the morning") == 1


@pytest.mark.proves("R-PAIN-P101", "R-STEP-AUTHORIZE", "R-STEP-NO-TRACE")
def test_p101_the_unreadable_is_neither_ranked_nor_counted_nor_named() -> None:
    own = [data(f"kb/{n}", Kind.EVIDENCE, f"refund days {n}") for n in range(3)]
    foreign = [
        dataclasses.replace(data(f"kb/canary{n}", Kind.EVIDENCE, "refund days canary " * 9), tenant="acme10")
        for n in range(50)
    ]
    with_foreign, alone = small_case([*own, *foreign]).run(), small_case(own).run()
    assert with_foreign.payload == alone.payload
    assert with_foreign.manifest.refused == (("store", 50),)
    assert "canary" not in repr((with_foreign.manifest, list(with_foreign.manifest.decisions)))


@pytest.mark.proves("R-PAIN-P101", "R-STEP-NO-TRACE", "R-STEP-DEPENDENCIES")
@pytest.mark.parametrize("reference", ["dependencies", "supersedes", "derived_from"])
@pytest.mark.parametrize("mandatory", [False, True])
def test_a_reference_to_the_unreadable_does_not_name_it(reference: str, mandatory: bool) -> None:
    hidden = dataclasses.replace(data("kb/canary", Kind.EVIDENCE, "secret"), readers=frozenset({"eve"}))
    item = data("kb/1", Kind.EVIDENCE, "open", mandatory=mandatory, **{reference: ("kb/canary",)})
    outcome = small_case([hidden, item]).outcome()
    if isinstance(outcome, Assembly):
        assert "canary" not in repr((outcome.manifest, list(outcome.manifest.decisions), outcome.payload))
    else:
        assert isinstance(outcome, ContextError)
        assert "canary" not in f"{outcome} {vars(outcome)}"


@pytest.mark.proves("R-STEP-UNITS", "R-STEP-OVERFLOW")
def test_data_cannot_force_itself_in_by_answering_something_mandatory() -> None:
    forced = data("web/1", Kind.TOOL_RESULT, "buy now " * 900, parent_call_id="request/1")
    assembly = small_case([forced], budget=Budget(window=9_000, input_limit=420)).run()
    assert "request/1" in {record.id for record in assembly.manifest.items}
