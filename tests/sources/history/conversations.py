"""Conversations for the tests: generated, written in either shape, damaged, and read back through the source."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from conspectus.core.call import Caller, Request
from conspectus.core.item import ContextItem
from conspectus.core.manifest import Gathered
from conspectus.core.message import Message, Part, Role, SealedPart, TextPart, ToolCallPart, ToolResultPart
from conspectus.sources.history.source import read_history
from conspectus.sources.history.turns import Turn

NOW = datetime(2026, 1, 2, tzinfo=UTC)
Json = dict[str, Any]


def gather(records: Sequence[Mapping[str, Any]] | bytes, *, strict: bool = False) -> Gathered:
    """What a conversation offers that was written as JSONL."""
    data = records if isinstance(records, bytes) else b"".join(json.dumps(each).encode() + b"\n" for each in records)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talk.jsonl"
        path.write_bytes(data)
        return read_history(path, strict=strict).gather(Request(question="?"), Caller(), NOW)


def sent(gathered: Gathered) -> list[Message]:
    """Every turn of every unit, as a provider would get them if all of them entered."""
    return [message for item in gathered.items for message in item.messages]


def calls_in(item: ContextItem) -> list[ToolCallPart]:
    return [part for message in item.messages for part in message.parts if isinstance(part, ToolCallPart)]


def results_in(item: ContextItem) -> list[ToolResultPart]:
    return [part for message in item.messages for part in message.parts if isinstance(part, ToolResultPart)]


def paired(gathered: Gathered) -> list[tuple[str, str]]:
    """(arguments of the call, text of the result) of every call, looked up by id in its own unit only."""
    pairs: list[tuple[str, str]] = []
    for item in gathered.items:
        texts = {result.call_id: result.text for result in results_in(item)}
        assert len(texts) == len(results_in(item)) == len(calls_in(item))
        pairs += [(call.arguments, texts[call.call_id]) for call in calls_in(item)]
    return pairs


def call(call_id: str, arguments: str = "{}", name: str = "look") -> Json:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def asks(*calls: Json, content: str | None = None) -> Json:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def answers(call_id: str, text: str) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def says(role: str, text: str) -> Json:
    return {"role": role, "content": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One event of an interleaving: calls made together (their numbers), or results that came together, or words."""

    calls: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    text: str = ""


@st.composite
def interleavings(draw: st.DrawFn, latest: int = 2) -> list[Step]:
    """Rounds of parallel calls, numbered through; each result comes in any order, up to `latest` rounds late."""
    sizes = draw(st.lists(st.integers(0, 4), min_size=1, max_size=6))
    due: dict[int, list[int]] = {}
    steps: list[Step] = []
    number = 0
    for place, size in enumerate(sizes):
        calls = tuple(range(number, number + size))
        number += size
        steps.append(Step(calls=calls) if calls else Step(text=f"word {place}"))
        for each in calls:
            due.setdefault(min(place + draw(st.integers(0, latest)), len(sizes) - 1), []).append(each)
        arrived = draw(st.permutations(due.get(place, [])))
        while arrived:
            together = draw(st.integers(1, len(arrived)))
            steps.append(Step(results=tuple(arrived[:together])))
            arrived = arrived[together:]
    return steps


def arguments_of(number: int) -> str:
    return json.dumps({"n": number})


def result_of(number: int) -> str:
    return f"result {number} 結果"


def as_openai(steps: Sequence[Step]) -> list[Json]:
    """The steps in OpenAI's shape: a message a result."""
    records: list[Json] = []
    for step in steps:
        if step.calls:
            records.append(asks(*(call(f"id{n}", arguments_of(n)) for n in step.calls)))
        records += [answers(f"id{n}", result_of(n)) for n in step.results]
        if step.text:
            records.append(says("user", step.text))
    return records


def as_anthropic(steps: Sequence[Step]) -> list[Json]:
    """The steps in Anthropic's shape: several results a message."""
    records: list[Json] = []
    for step in steps:
        uses = [{"type": "tool_use", "id": f"id{n}", "name": "look", "input": {"n": n}} for n in step.calls]
        back = [{"type": "tool_result", "tool_use_id": f"id{n}", "content": result_of(n)} for n in step.results]
        if uses:
            records.append({"role": "assistant", "content": uses})
        if back:
            records.append({"role": "user", "content": back})
        if step.text:
            records.append(says("user", step.text))
    return records


_IDS = st.sampled_from(["", "a", "b", "c", "call_1_1", "call_2_1", "no good id", "x" * 65, "é"])
_WORDS = st.sampled_from(["", " \n", "yes", "no", "数据库", "👨\u200d👩\u200d👧"])
_TEXTS: st.SearchStrategy[Part] = st.builds(TextPart, text=_WORDS)
_CALLS: st.SearchStrategy[Part] = st.builds(
    ToolCallPart,
    call_id=_IDS,
    name=st.sampled_from(["look", "run"]),
    arguments=st.sampled_from(["{}", '{"n": 1}', "", "null", "[]", '"x"', "{broken", '{"INVALID_JSON":"x"}']),
)
_RESULTS = st.builds(
    ToolResultPart,
    call_id=_IDS,
    name=st.sampled_from(["", "look", "run"]),
    text=st.sampled_from(["", "1", "2", "結果"]),
)
_SEALED: st.SearchStrategy[Part] = st.just(SealedPart(raw="{}", provider="anthropic", block_type="thinking"))
_SPOKEN = {
    Role.SYSTEM: st.lists(_TEXTS, max_size=2),
    Role.USER: st.lists(_TEXTS | _RESULTS, max_size=3),
    Role.ASSISTANT: st.lists(_TEXTS | _CALLS | _SEALED, max_size=4),
    Role.TOOL: st.lists(_RESULTS, min_size=1, max_size=1),
}


@st.composite
def damaged(draw: st.DrawFn) -> list[Turn]:
    """Whatever can be read line by line, in any order: nothing fits anything but by chance."""
    roles = draw(st.lists(st.sampled_from(list(Role)), max_size=10))
    return [
        Turn(
            number=number,
            line=number,
            role=role,
            parts=tuple(draw(_SPOKEN[role])),
            quoted=role is Role.SYSTEM,
        )
        for number, role in enumerate(roles, 1)
    ]
