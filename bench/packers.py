"""The public packers on the same candidates: what they claim, what it is, what it is worth, what it costs."""

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import quicktok

from bench import rooms
from bench.clock import cpu, peak_memory
from bench.corpus import NOW, QUESTION, call, candidates, profile
from bench.figures import Row, Table
from bench.rooms import Room, command, surroundings
from bench.selecting import fractional
from conspectus.assembly.assemble import compose
from conspectus.assembly.price import price
from conspectus.assembly.rank import rank
from conspectus.assembly.table import Context
from conspectus.core.spec import RankingPolicy

SIZES = (100, 1_000, 10_000)
BUDGET = 8_000
PATIENCE = 60.0
_PER_MESSAGE = 4
_PER_REPLY = 3
Reply: TypeAlias = dict[str, object]
_ABOUT = (
    "cl100k. Exact counts what is handed over: text as it is, messages in OpenAI's framing (4 a message, 3 for the"
    " reply). Over is exact less the limit. Value is that of the candidates found in it, over the fractional knapsack's"
    " bound at bare tokens; trimming packers do not aim at it, hello-agents ranks by its own word overlap. Each runs in"
    f" its own environment, {PATIENCE:g} s at most. Ours pays a frame of about 40 tokens an item that cites id, version"
    " and time; its CPU is one compose(), cold: cleaning, comparing and manifest included."
)
_TOO_SLOW = "not run: too slow"
_YES = {True: "yes", False: "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Packer:
    """A public packer: how it is shown, where it lives, what drives it."""

    name: str
    room: Room
    adapter: str


PACKERS = (
    Packer(name="hello-agents 0.2.8", room=rooms.HELLO_FIRST, adapter="hello_agents_builder"),
    Packer(name="hello-agents 1.0.0", room=rooms.HELLO_LAST, adapter="hello_agents_builder"),
    Packer(name="langchain trim_messages, exact", room=rooms.LANGCHAIN, adapter="langchain_exact"),
    Packer(name="langchain trim_messages, approximate", room=rooms.LANGCHAIN, adapter="langchain_approximate"),
    Packer(name="llama-index ChatMemoryBuffer", room=rooms.LLAMA_INDEX, adapter="llama_index_buffer"),
    Packer(name="llama-index Memory", room=rooms.LLAMA_INDEX, adapter="llama_index_memory"),
    Packer(name="prompt-poet 0.0.52", room=rooms.PROMPT_POET, adapter="prompt_poet_parts"),
    Packer(name="priompt 0.2.1", room=rooms.PRIOMPT, adapter="priompt_render.cjs"),
    Packer(name="contextcram 0.2.0", room=rooms.CONTEXTCRAM, adapter="contextcram_packer"),
    Packer(name="ctxbudgeter 0.3.2", room=rooms.CTXBUDGETER, adapter="ctxbudgeter_pack"),
    Packer(name="cendor-contextkit 1.1.0", room=rooms.CONTEXTKIT, adapter="contextkit_context"),
    Packer(name="astromesh-context 0.1.0", room=rooms.ASTROMESH, adapter="astromesh_engine"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """The candidates with their values and their bare cl100k tokens."""

    items: tuple[tuple[str, str], ...]
    values: np.ndarray
    tokens: np.ndarray

    def share(self, payload: str) -> float:
        """Value of the candidates found in `payload` over what the budget could buy at most; spacing is ignored."""
        there = " ".join(payload.split())
        inside = np.array([" ".join(text.split()) in there for _, text in self.items])
        return float(self.values[inside].sum()) / fractional(self.values, self.tokens, BUDGET)


def measure(*, quick: bool) -> tuple[Table, ...]:
    """One table for each size, ours first."""
    slow: set[str] = set()
    return tuple(_table(size, slow) for size in (SIZES[:1] if quick else SIZES))


def _table(size: int, slow: set[str]) -> Table:
    """`slow` names those that ran out of time before: a larger size would only wait longer."""
    engine = quicktok.get_encoding("cl100k_base")
    items = candidates(size)
    values = rank(items, QUESTION, RankingPolicy(), NOW).values
    tokens = np.array([engine.count(item.content) for item in items])
    task = _Task(items=tuple((item.item_id, item.content) for item in items), values=values, tokens=tokens)
    rows = [_ours(size, task)]
    for packer in PACKERS:
        reply = _TOO_SLOW if packer.name in slow else _ask(packer, size, task)
        if reply == _TOO_SLOW:
            slow.add(packer.name)
        rows.append(
            Row(cells=(packer.name, *([None] * 7), reply)) if isinstance(reply, str) else _row(packer, reply, task)
        )
    return Table(
        title=f"6 · Public packers, {size:,} candidates, limit {BUDGET:,}",
        about=_ABOUT,
        columns=(
            "packer",
            "CPU, ms",
            "memory, MB",
            "claimed",
            "exact",
            "over",
            "value / bound",
            "true and inside",
            "remark",
        ),
        rows=tuple(rows),
        goal="never over the limit, and the claim is exact",
    )


def _ours(size: int, task: _Task) -> Row:
    model = profile("cl100k")
    arguments = call(candidates(size), BUDGET, model)
    spent = cpu(lambda: compose(*arguments), 1)
    added = peak_memory(lambda: compose(*arguments))
    payload = compose(*arguments).payload
    exact = quicktok.get_encoding("cl100k_base").count(payload.body)
    cells = (spent * 1e3, added, payload.tokens, exact, exact - BUDGET, task.share(payload.body))
    fits = exact <= BUDGET and exact == payload.tokens
    framed = price(candidates(size), Context(twins={}, conflict={}), model).tokens
    reached = cells[-1] * fractional(task.values, task.tokens, BUDGET) / fractional(task.values, framed, BUDGET)
    return Row(cells=("conspectus", *cells, _YES[fits], f"{reached:.3f} at framed tokens"), met=fits)


def _row(packer: Packer, reply: Reply, task: _Task) -> Row:
    messages = reply.get("messages")
    parts = [str(text) for _, text in messages] if isinstance(messages, list) else [str(reply["text"])]
    engine = quicktok.get_encoding("cl100k_base")
    framing = _PER_REPLY + _PER_MESSAGE * len(parts) if isinstance(messages, list) else 0
    exact = sum(engine.count(part) for part in parts) + framing
    claimed = reply["claimed"]
    cells = (float(str(reply["cpu"])) * 1e3, float(str(reply["memory"])), claimed, exact, exact - BUDGET)
    fits = exact <= BUDGET and exact == claimed
    return Row(cells=(packer.name, *cells, task.share("\n".join(parts)), _YES[fits], ""))  # type: ignore[arg-type]


def _ask(packer: Packer, size: int, task: _Task) -> Reply | str:
    if packer.room.missing:
        return packer.room.missing
    ages = [(NOW - item.observed_at).total_seconds() if item.observed_at else 0.0 for item in candidates(size)]
    facts = zip(task.items, task.values.tolist(), ages, strict=True)
    items = [{"id": name, "text": text, "value": value, "age": age} for (name, text), value, age in facts]
    with tempfile.TemporaryDirectory(prefix="conspectus-bench-") as folder:
        asked, reply = Path(folder, "request.json"), Path(folder, "reply.json")
        asked.write_text(json.dumps({"question": QUESTION, "budget": BUDGET, "items": items}), "utf-8")
        script = [packer.adapter] if packer.room.npm else ["pack.py", packer.adapter]
        arguments = [*command(packer.room, script[0]), *script[1:], str(asked), str(reply)]
        try:
            done = subprocess.run(
                arguments,
                env=surroundings(packer.room),
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return _TOO_SLOW
        if not reply.exists():
            return f"fails: {(done.stderr.strip().splitlines() or [f'exit {done.returncode}'])[-1][:120]}"
        answer: Reply = json.loads(reply.read_text("utf-8"))
        return answer
