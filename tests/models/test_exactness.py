"""Claimed tokens are those of what is sent: every kind of tokenizer with every kind of template, tools included."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from conspectus.assembly.assemble import Assembly, compose
from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Caller, Form, Request
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Gathered, Offer
from conspectus.core.message import Message, Part, Prompt, Role, TextPart, ToolCallPart, ToolResultPart
from conspectus.core.ports import ModelProfile
from conspectus.core.spec import Budget, ContextSpec
from conspectus.models.local.opening import OpenProfile
from conspectus.models.registry import resolve
from tests.models.folders import TEMPLATES, TOKENIZERS, write_folder

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WORDS = (
    "refund", "window", "30", "days", "def f(x):\n    return x", "上下文", "预算", "退款期限", "👩‍👩‍👧", "🇨🇳", "naïve",
    "\n\n", "<|im_end|>", "<|im_start|>system", "[INST]", "</s>", "<start_of_turn>model", "<tool_call>", "</data>",
    "[Evidence]", "<|eot_id|>", "<｜User｜>", "  ", "\t", "https://example.com/a?b=c", "{\"role\":\"system\"}", "ﬁ",
    "＜|im_end|＞",
)  # fmt: skip


def words(dice: random.Random, least: int = 1, most: int = 25) -> str:
    text = " ".join(dice.choices(WORDS, k=dice.randint(least, most)))
    return text if text.strip() else "x"


def payload_items(dice: random.Random) -> tuple[ContextItem, ...]:
    """Instructions, a question, evidence, notes, a tool exchange, turns and tools, all full of control strings."""
    items = [
        ContextItem(
            item_id="instruction/a", kind=Kind.INSTRUCTION, content=words(dice), role=Role.SYSTEM,
            authority=Authority.APPLICATION, mandatory=True,
        ),
        ContextItem(
            item_id="request", kind=Kind.REQUEST, content=words(dice), authority=Authority.USER, mandatory=True
        ),
    ]  # fmt: skip
    kinds = (Kind.EVIDENCE, Kind.NOTE, Kind.MEMORY, Kind.TOOL_RESULT)
    for number in range(dice.randint(0, 12)):
        kind = dice.choice(kinds)
        items.append(ContextItem(item_id=f"{kind}/{number}", kind=kind, content=words(dice), trust=Trust.TRUSTED))
    for number in range(dice.randint(0, 3)):
        schema = {"type": "object", "properties": {words(dice, 1, 1): {"type": "string", "description": words(dice)}}}
        declared = {"name": f"tool_{number}", "description": words(dice), "parameters": schema}
        items.append(ContextItem(item_id=f"tool/{number}", kind=Kind.TOOL_SCHEMA, content=json.dumps(declared)))
    items.extend(turn_unit(dice, number) for number in range(dice.randint(0, 4)))
    return tuple(items)


def turn_unit(dice: random.Random, number: int) -> ContextItem:
    """One question and answer, or one with a tool exchange between."""
    turns = [Message(role=Role.USER, parts=(TextPart(text=words(dice)),))]
    if dice.random() < 0.5:
        arguments = json.dumps({"q": words(dice)})
        call = ToolCallPart(call_id=f"c{number}", name="tool_0", arguments=arguments)
        result = ToolResultPart(call_id=f"c{number}", name="tool_0", text=words(dice))
        turns.append(Message(role=Role.ASSISTANT, parts=(call,)))
        turns.append(Message(role=Role.TOOL, parts=(result,)))
    turns.append(Message(role=Role.ASSISTANT, parts=(TextPart(text=words(dice)),)))
    return ContextItem(
        item_id=f"history/{number}", kind=Kind.HISTORY, content=words(dice), messages=tuple(turns),
        signals=(("turn", number / 10),),
    )  # fmt: skip


def assembled(profile: ModelProfile, items: tuple[ContextItem, ...], limit: int) -> Assembly:
    unbound = ContextSpec(
        model="", model_revision="", tokenizer_revision="", template_revision="",
        budget=Budget(window=32768, input_limit=limit),
    )  # fmt: skip
    offers = (Offer(source="made", gathered=Gathered(items=items)),)
    return compose(offers, Request(question="refund window 退款"), Caller(), spec_for(profile, unbound), profile, NOW)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    root = tmp_path_factory.mktemp("open-models")
    pairs = [(kind, template) for kind in TOKENIZERS for template in TEMPLATES]
    return {(kind, name): write_folder(root / f"{kind}-{name}", kind, name) for kind, name in pairs}


@pytest.mark.proves("R-SHOW-EXACT")
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_claimed_is_exact(kind: str, template: str, folders: dict[tuple[str, str], Path]) -> None:
    check_exactness(folders[kind, template], 12)


@pytest.mark.soak
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_claimed_is_exact_ten_thousand_times(kind: str, template: str, folders: dict[tuple[str, str], Path]) -> None:
    check_exactness(folders[kind, template], 340)


def check_exactness(folder: Path, payloads: int) -> None:
    """Count every body again with the bare engine, and its control ids against those of a body without data."""
    dice = random.Random(folder.name)
    engine = Tokenizer.from_file(str(folder / "tokenizer.json"))
    profile = resolve(str(folder), Form.OPENAI)
    assert isinstance(profile, OpenProfile)
    controls = {engine.token_to_id(text) for text in profile.control_strings} - {None, engine.token_to_id("<unk>")}
    for _ in range(payloads):
        items = payload_items(dice)
        limit = dice.choice((1500, 4000, 20000))
        payload = assembled(profile, items, limit).payload
        ids = engine.encode(profile.render(payload.prompt), add_special_tokens=False).ids
        assert payload.tokens == len(ids) <= limit
        bare = profile.render(without_data(payload.prompt))
        structure = [number for number in engine.encode(bare, add_special_tokens=False).ids if number in controls]
        assert [number for number in ids if number in controls] == structure


def without_data(prompt: Prompt) -> Prompt:
    """The prompt with every text replaced by one that is surely text, so that only scaffold is left."""
    messages = tuple(replace(turn, parts=tuple(map(plain, turn.parts))) for turn in prompt.messages)
    empty = '{"type":"object","properties":{}}'
    return replace(
        prompt,
        messages=messages,
        tools=tuple(replace(tool, description="x", parameters=empty) for tool in prompt.tools),
    )


def plain(part: Part) -> Part:
    match part:
        case ToolCallPart():
            return replace(part, arguments="{}")
        case TextPart() | ToolResultPart():
            return replace(part, text="x")
        case _:
            return part
