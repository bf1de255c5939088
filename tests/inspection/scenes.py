"""Real assemblies in which something of each kind happened, so that there is something to ask about."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from conspectus.assembly.assemble import Assembly, assemble
from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Caller, Form, Request, Slot
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Decision, Reason, Stage, Verdict
from conspectus.core.message import Message, Role, TextPart, ToolCallPart, ToolResultPart
from conspectus.core.ports import Source
from conspectus.core.spec import Budget, ContextSpec
from tests.contract.parts import FailingSource, ListSource, defined

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CALLER = Caller(principal="ana", tenant="acme", groups=frozenset({"support"}))
QUESTION = "How many days do customers have to return a kettle?"
SLOTS = (Slot(name="return period", match=("30 days",)), Slot(name="restocking fee", match=("restocking fee",)))

LONG_LOG = "\n".join(f"line {number}: kettle returned to shelf {number % 7}" for number in range(400))
MIDDLE_FACT = "line 201: kettle returned to shelf 5"


def item(name: str, content: str, **fields: Any) -> ContextItem:
    """An item of the acme tenant, observed a while ago."""
    shared = {"kind": Kind.EVIDENCE, "tenant": "acme", "observed_at": NOW - timedelta(days=3), "trust": Trust.TRUSTED}
    return ContextItem(item_id=name, content=content, **(shared | fields))


def instruction(name: str, content: str) -> ContextItem:
    """An approved instruction."""
    return item(
        f"instruction/{name}",
        content,
        kind=Kind.INSTRUCTION,
        authority=Authority.APPLICATION,
        mandatory=True,
        stable=True,
    )


def asked(question: str) -> ContextItem:
    """The request."""
    return item("request", question, kind=Kind.REQUEST, authority=Authority.USER, mandatory=True)


RULES = instruction("rules", "Answer in one paragraph. You must cite the id of every source.")
PERIOD = item(
    "file/docs/terms.md#L1-4", "A kettle may be returned within 30 days of delivery.", source_uri="file:docs/terms.md"
)
LATER = item("file/docs/terms.md#L5-9", "Gift cards cannot be exchanged for cash under any circumstances.")
CHINESE = item("file/docs/退货.md#L1-2", "顾客在收到商品后三十天内可以退货，运费由商家承担。")
CANTEEN = item("file/menu.txt#L1-3", "The canteen serves soup on Mondays. " * 30)
COPY = item("note/terms-copy", PERIOD.content, kind=Kind.NOTE)
OLD = item("memory/period-2019", "A kettle may be returned within 14 days.", kind=Kind.MEMORY)
NEW = item(
    "memory/period", "Since March the period for kettles is a full month.", kind=Kind.MEMORY, supersedes=(OLD.item_id,)
)
LOG = item("tool/returns-log", LONG_LOG, kind=Kind.TOOL_RESULT, source_uri="shell:returns.log")
SECRET = item("note/margin", "Our margin on kettles is 61 percent.", kind=Kind.NOTE, readers=frozenset({"finance"}))
EXPIRED = item("memory/summer-rule", "In summer kettles come back within 90 days.", expires_at=NOW - timedelta(days=1))
HIDDEN = item("note/hidden", "Kettles are blue\u202e and round.", kind=Kind.NOTE)
SUMMARY = item(
    "checkpoint/1", "Earlier we spoke about kettles.", kind=Kind.CHECKPOINT, derived_from=("history/1", "history/2")
)
TURN = item(
    "history/7",
    "user: is the warehouse open? assistant: it opens at nine.",
    kind=Kind.HISTORY,
    messages=(
        Message(role=Role.USER, parts=(TextPart(text="is the warehouse open?"),)),
        Message(role=Role.ASSISTANT, parts=(TextPart(text="it opens at nine."),)),
    ),
)
CALLED = item(
    "history/8",
    "call stock(kettle) -> 12 kettles in stock",
    kind=Kind.HISTORY,
    messages=(
        Message(role=Role.ASSISTANT, parts=(ToolCallPart(call_id="c1", name="stock", arguments='{"of":"kettle"}'),)),
        Message(role=Role.TOOL, parts=(ToolResultPart(call_id="c1", text="12 kettles in stock"),)),
    ),
)
TOOL = item(
    "tool/weigh",
    '{"name":"weigh","description":"Weigh a parcel.","parameters":{"type":"object"}}',
    kind=Kind.TOOL_SCHEMA,
)

SKIPPED = (
    Decision(
        subject="file/logo.png", stage=Stage.GATHER, verdict=Verdict.OMITTED, reason=Reason.BINARY, detail="not text"
    ),
    Decision(
        subject="file/build/", stage=Stage.GATHER, verdict=Verdict.OMITTED, reason=Reason.IGNORED, detail=".gitignore:1"
    ),
)
EVIDENCE = (PERIOD, LATER, CHINESE, CANTEEN, COPY, OLD, NEW, LOG, SECRET, EXPIRED, HIDDEN, SUMMARY, TURN, CALLED, TOOL)


def sources(
    *evidence: ContextItem, rules: Sequence[ContextItem] = (RULES,), question: str = QUESTION
) -> tuple[Source, ...]:
    """Instructions, the request, evidence that is partly skipped, and one source that fails."""
    return (
        ListSource("instructions", rules),
        ListSource("request", (asked(question),)),
        ListSource("files", evidence, SKIPPED),
        FailingSource("crm", ConnectionError("canary: the error text")),
    )


def assembled(
    *evidence: ContextItem,
    limit: int = 2_000,
    form: Form = Form.TEXT,
    rules: Sequence[ContextItem] = (RULES,),
    slots: Sequence[Slot] = (),
    margin: float = 0.0,
    caller: Caller = CALLER,
    question: str = QUESTION,
) -> Assembly:
    """One assembly of the scene; all of its evidence where none is named."""
    profile = defined("words", form, margin)
    budget = Budget(window=100_000, input_limit=limit)
    spec = spec_for(
        profile,
        ContextSpec(model="", model_revision="", tokenizer_revision="", template_revision="", budget=budget, form=form),
    )
    request = Request(question=question, slots=tuple(slots))
    return assemble(
        sources(*(evidence or EVIDENCE), rules=rules, question=question), request, caller, spec, profile, NOW
    )


def without_archive(assembly: Assembly) -> Assembly:
    """The same assembly whose candidates were forgotten."""
    return replace(assembly, candidates=())
