"""This project as one more system under torture: a fixture in, what would be sent out."""

import json
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conspectus.assembly.assemble import Assembly, assemble
from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Caller, Form, Request
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Gathered
from conspectus.core.message import Role
from conspectus.core.ports import Source
from conspectus.core.spec import Budget, ContextSpec
from conspectus.errors import ContextError
from conspectus.models.registry import resolve
from conspectus.sources.history.source import read_history
from torture.judge import Outcome

NAME = "conspectus"
FENCE = ("</data>", '<data id="', "<instruction", "[Role & Policies]", "[Task]", "[Output]")
_NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


class _Items:
    """A source that offers the fixture's items, its instructions and its question."""

    name = "fixture"

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:  # noqa: ARG002 - all is offered
        """Everything the fixture holds."""
        asked = ContextItem(
            item_id="request/1",
            kind=Kind.REQUEST,
            content=request.question,
            authority=Authority.USER,
            trust=Trust.TRUSTED,
            mandatory=True,
        )
        rules = ContextItem(
            item_id="instruction/rules",
            kind=Kind.INSTRUCTION,
            content=self._data["instructions"],
            role=Role.SYSTEM,
            authority=Authority.APPLICATION,
            trust=Trust.TRUSTED,
            mandatory=True,
        )
        return Gathered(items=(asked, rules, *map(_item, self._data["items"])))


def _item(given: Mapping[str, Any]) -> ContextItem:
    return ContextItem(
        item_id=given["id"],
        kind=Kind(given["type"]),
        content=given["text"],
        source_uri=given.get("source", ""),
        source_version=given.get("version", ""),
        trust=Trust(given.get("trust", "untrusted")),
        observed_at=datetime.fromisoformat(given["time"]) if "time" in given else None,
        dependencies=tuple(given.get("needs", ())),
        signals=(("prior", float(given["relevance"])),),
    )


def ask(data: Mapping[str, Any], form: Form = Form.TEXT) -> Outcome:
    """What would be sent for the fixture, as one text or as turns."""
    is_chat = data["kind"] == "chat"
    profile = resolve("o200k", Form.OPENAI if is_chat else form)
    spec = spec_for(
        profile,
        ContextSpec(
            model="", model_revision="", tokenizer_revision="", template_revision="",
            budget=Budget(window=128_000, input_limit=data["budget"]),
        ),
    )  # fmt: skip
    sources: list[Source] = [_Items(data)]
    if is_chat:
        sources.append(_history(data["messages"]))
    try:
        assembly = assemble(sources, Request(question=data["question"]), Caller(), spec, profile, _NOW)
    except ContextError as refusal:
        return Outcome(error=type(refusal).__name__)
    return _outcome(assembly, profile.form)


def _history(messages: list[Mapping[str, Any]]) -> Source:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.jsonl"
        turns = [turn for turn in messages if turn["role"] != "system"]
        path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
        return read_history(path)


def _outcome(assembly: Assembly, form: Form) -> Outcome:
    body = assembly.payload.body
    if form is Form.TEXT:
        return Outcome(text=body, claimed=assembly.payload.tokens, fence=FENCE)
    messages = json.loads(body)["messages"]
    return Outcome(text=spoken(messages), messages=messages, fence=FENCE)


def spoken(messages: list[Mapping[str, Any]]) -> str:
    """The text of all turns, arguments of calls included."""
    parts: list[str] = []
    for turn in messages:
        content = turn.get("content") or ""
        parts.append(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
        parts.extend(f"{c['function']['name']} {c['function']['arguments']}" for c in turn.get("tool_calls") or ())
    return "\n".join(parts)
