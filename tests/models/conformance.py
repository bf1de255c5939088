"""What every ModelProfile promises, whatever it is made of: for test_conformance.py and whoever adds a profile."""

import json
from dataclasses import replace

import numpy as np
import pytest

from conspectus.core.call import Form
from conspectus.core.message import (
    ImagePart,
    Message,
    Part,
    Prompt,
    Role,
    SealedPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSchema,
)
from conspectus.core.ports import Exactness, ModelProfile
from conspectus.errors import ContextError, IncompatibleSpec
from tests.models.texts import CONTROLS, PIECES, block, neutral

TOOL_SEAM = 2
SYSTEM, TASK = "[Role & Policies]\n\nBe brief.", "[Task]\n\nAnswer.\n\n"
TOOL = ToolSchema(
    name="search", description="Find 文件.", parameters='{"type":"object","properties":{"q":{"type":"string"}}}'
)


def say(role: Role, text: str) -> Message:
    return Message(role=role, parts=(TextPart(text=text),))


def exchange(number: int) -> tuple[Message, ...]:
    """A call and its result as one unit."""
    call = ToolCallPart(call_id=f"call_{number}", name="search", arguments=f'{{"q":"{number} 退款"}}')
    result = ToolResultPart(call_id=f"call_{number}", name="search", text=f"found {number} 件")
    return (
        Message(role=Role.ASSISTANT, parts=(call,)),
        Message(role=Role.TOOL, parts=(result,)),
        say(Role.ASSISTANT, f"It is {number}."),
    )


def chat(*units: tuple[Message, ...], tools: tuple[ToolSchema, ...] = (), text: str = TASK) -> Prompt:
    turns = (say(Role.SYSTEM, SYSTEM), *(turn for unit in units for turn in unit), say(Role.USER, text))
    return Prompt(messages=turns, tools=tools)


def simple(profile: ModelProfile, text: str) -> Prompt:
    """A prompt of the profile's form that holds `text`."""
    return Prompt(text=text) if profile.form is Form.TEXT else chat(text=text)


def check_profile(profile: ModelProfile) -> None:
    """Every promise, in turn."""
    check_identity(profile)
    check_counts(profile)
    check_blocks(profile)
    check_data(profile)
    check_refusals(profile)
    if profile.form is not Form.TEXT:
        check_turns(profile)
        check_tools(profile)


def check_identity(profile: ModelProfile) -> None:
    assert profile.name
    assert profile.model_revision
    assert profile.tokenizer_revision
    assert profile.template_revision
    assert profile.limits.window >= profile.limits.output > 0
    assert (profile.margin > 0) == (profile.exactness is Exactness.ESTIMATED)
    assert 0 <= profile.margin < 1
    controls = profile.control_strings
    assert controls
    assert len(set(controls)) == len(controls)
    assert all(len(control) > 1 and not control.isspace() for control in controls)


def check_counts(profile: ModelProfile) -> None:
    """Counts are of what is sent, the same every time, and more of more."""
    prompt = simple(profile, TASK)
    assert profile.count(prompt) == profile.count(prompt) > 0
    assert profile.encode(prompt) == profile.encode(prompt)
    assert profile.count(simple(profile, f"{TASK}{block('more words than before')}")) > profile.count(prompt)
    assert TASK.strip() in profile.encode(prompt).replace("\\n", "\n")
    if profile.form is not Form.TEXT:
        json.loads(profile.encode(prompt))


def check_blocks(profile: ModelProfile) -> None:
    """A payload counts its scaffold and the sum of its blocks."""
    controls = profile.control_strings
    blocks = [block(neutral(piece, controls), str(n)) for n, piece in enumerate((*PIECES, *CONTROLS))]
    counts = profile.count_blocks(blocks)
    assert counts.dtype == np.int64
    assert counts.shape == (len(blocks),)
    assert (counts > 0).all()
    assert profile.count_blocks(blocks[::-1]).tolist() == counts.tolist()[::-1]
    assert profile.count_blocks([]).tolist() == []
    assert profile.count_blocks([""]).tolist() == [0]
    closing = "[Output]\n\nAnswer."
    whole = profile.count(simple(profile, f"{TASK}{''.join(blocks)}{closing}"))
    assert whole - profile.count(simple(profile, TASK + closing)) == counts.sum()


def check_data(profile: ModelProfile) -> None:
    """Neutralised data travels as it is; nothing is lost on the way."""
    data = block(neutral(" ".join((*PIECES, *CONTROLS)), profile.control_strings))
    body = profile.encode(simple(profile, data))
    held = body if profile.form is Form.TEXT else "".join(strings(json.loads(body)))
    assert data.strip() in held


def check_turns(profile: ModelProfile) -> None:
    """Units of turns cost the difference they make."""
    units = [exchange(1), (say(Role.USER, "and?"), say(Role.ASSISTANT, "那是什么？")), exchange(22)]
    costs = profile.count_turns(units)
    assert (costs > 0).all()
    assert profile.count_turns([]).tolist() == []
    first = (say(Role.USER, "hello"), say(Role.ASSISTANT, "yes"))
    assert profile.count(chat(first, units[1])) - profile.count(chat(first)) == costs[1]


def check_tools(profile: ModelProfile) -> None:
    """Tools are counted, each as much as it adds to others; the last of a list may end a token or two differently."""
    other = replace(TOOL, name="store", description="Keep something for later use.")
    one, two = profile.count(chat(tools=(TOOL,))), profile.count(chat(tools=(TOOL, other)))
    assert profile.count(chat()) < one < two
    assert abs(profile.count_tools([other, TOOL])[0] - (two - one)) <= TOOL_SEAM
    assert profile.count_tools([]).tolist() == []
    assert "Keep something for later use." in "".join(strings(json.loads(profile.encode(chat(tools=(TOOL, other))))))


def check_refusals(profile: ModelProfile) -> None:
    """What cannot be sent or counted raises; it never counts nothing."""
    if profile.form is Form.TEXT:
        with pytest.raises(IncompatibleSpec):
            profile.count(chat())
        return
    provider = "openai" if profile.form is Form.ANTHROPIC else "anthropic"
    sealed = SealedPart(raw='{"type":"thinking"}', provider=provider, block_type="thinking")
    for ask in (profile.count, profile.encode):
        with pytest.raises(IncompatibleSpec, match="sealed"):
            ask(chat((Message(role=Role.ASSISTANT, parts=(sealed,)),)))
    pictured = chat((Message(role=Role.USER, parts=(ImagePart(url="https://example.org/a.png"),)),))
    if profile.margin:
        assert profile.count(pictured) > profile.count(chat((say(Role.USER, ""),)))
    else:
        with pytest.raises(IncompatibleSpec, match="picture"):
            profile.count(pictured)
    strange: Part = object()  # type: ignore[assignment]
    with pytest.raises(ContextError):
        profile.count(chat((Message(role=Role.USER, parts=(strange,)),)))


def strings(value: object) -> list[str]:
    """Every string in a JSON value, keys left out."""
    match value:
        case str():
            return [value]
        case dict():
            return [text for inner in value.values() for text in strings(inner)]
        case list():
            return [text for inner in value for text in strings(inner)]
        case _:
            return []
