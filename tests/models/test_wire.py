"""Bodies: what each provider's client accepts as it is, byte for byte where it must be, and no foreign block in any."""

import json
from typing import Any

import pytest
from hypothesis import given

from conspectus.core.call import Form
from conspectus.core.message import (
    ImagePart,
    Message,
    Prompt,
    Role,
    SealedPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSchema,
)
from conspectus.errors import IncompatibleSpec
from conspectus.models.images import Area, Patches, Tiles
from conspectus.models.openai import openai_messages
from conspectus.models.registry import resolve
from conspectus.models.typescript import described
from tests.models.conformance import TOOL, chat, say, strings
from tests.models.texts import texts

IMAGE = ImagePart(media_type="image/png", data="aGk=", width=100, height=80)
CALLS = Message(
    role=Role.ASSISTANT,
    parts=(
        TextPart(text="Looking."),
        ToolCallPart(call_id="c1", name="search", arguments='{"q": "退款",  "n": 1.50}'),
        ToolCallPart(call_id="c2", name="search", arguments="not json"),
    ),
)
RESULTS = (
    Message(role=Role.TOOL, parts=(ToolResultPart(call_id="c1", text="one"),)),
    Message(role=Role.TOOL, parts=(ToolResultPart(call_id="c2", text="two", is_error=True, images=(IMAGE,)),)),
)


def body(form: Form, prompt: Prompt, output: int = 0, name: str = "o200k") -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(resolve(name, form, output=output).encode(prompt))
    return decoded


@pytest.mark.proves("R-COUNT-OPENAI")
def test_openai_takes_calls_results_and_pictures() -> None:
    made = body(Form.OPENAI, chat((CALLS, *RESULTS), tools=(TOOL,)), output=99)
    assert list(made) == ["model", "messages", "tools", "max_completion_tokens"]
    assert (made["model"], made["max_completion_tokens"]) == ("gpt-4o", 99)
    roles = [message["role"] for message in made["messages"]]
    assert roles == ["system", "assistant", "tool", "tool", "user", "user"]
    assistant, first, second, shown, asked = made["messages"][1:]
    assert assistant["content"] == "Looking."
    assert assistant["tool_calls"][0] == {
        "id": "c1",
        "type": "function",
        "function": {"name": "search", "arguments": '{"q": "退款",  "n": 1.50}'},
    }
    assert assistant["tool_calls"][1]["function"]["arguments"] == "not json"
    assert first == {"role": "tool", "tool_call_id": "c1", "content": "one"}
    assert second == {"role": "tool", "tool_call_id": "c2", "content": "two"}
    assert shown["content"] == [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]
    assert asked["role"] == "user"
    assert made["tools"][0]["function"]["parameters"] == json.loads(TOOL.parameters)


def test_openai_leaves_out_what_was_not_asked_for() -> None:
    assert list(body(Form.OPENAI, chat())) == ["model", "messages"]
    silent = Message(role=Role.ASSISTANT, parts=(ToolCallPart(call_id="c", name="f", arguments="{}"),))
    assert body(Form.OPENAI, chat((silent,)))["messages"][1]["content"] is None


def test_openai_mixes_text_and_pictures_in_parts() -> None:
    picture = ImagePart(url="https://example.org/a.png", detail="low")
    turn = Message(role=Role.USER, parts=(TextPart(text="see"), picture))
    assert body(Form.OPENAI, chat((turn,)))["messages"][1]["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
    ]


@pytest.mark.proves("R-COUNT-ANTHROPIC")
def test_anthropic_puts_several_results_into_one_turn_of_the_user() -> None:
    made = body(Form.ANTHROPIC, chat((say(Role.USER, "go"), CALLS, *RESULTS), tools=(TOOL,)), output=77, name="claude")
    assert list(made) == ["model", "max_tokens", "system", "messages", "tools"]
    assert made["max_tokens"] == 77
    assert [turn["role"] for turn in made["messages"]] == ["user", "assistant", "user"]
    assert made["messages"][1]["content"][1] == {
        "type": "tool_use",
        "id": "c1",
        "name": "search",
        "input": {"q": "退款", "n": 1.5},
    }
    assert made["messages"][1]["content"][2]["input"] == {"arguments": "not json"}
    one, two, task = made["messages"][2]["content"]
    assert one == {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "one"}]}
    assert two["is_error"] is True
    assert two["content"][1]["source"] == {"type": "base64", "media_type": "image/png", "data": "aGk="}
    assert task["type"] == "text"
    assert made["tools"] == [
        {"name": "search", "description": "Find 文件.", "input_schema": json.loads(TOOL.parameters)}
    ]


def test_anthropic_is_always_told_how_long_the_answer_may_be_and_is_opened_by_the_user() -> None:
    made = body(Form.ANTHROPIC, chat((say(Role.ASSISTANT, "earlier answer"),)), name="claude")
    assert made["max_tokens"] == 64_000
    assert [turn["role"] for turn in made["messages"]] == ["user", "assistant", "user"]
    empty = Message(role=Role.ASSISTANT, parts=(TextPart(text=" \n"),))
    assert len(body(Form.ANTHROPIC, chat((say(Role.USER, "a"), empty)), name="claude")["messages"]) == 1


def test_arguments_and_sealed_blocks_travel_byte_for_byte() -> None:
    raw = '{"type":"thinking",  "thinking":"\\u00e9 1.50 ✓","signature":"Ab+/="}'
    sealed = SealedPart(raw=raw, provider="anthropic", block_type="thinking")
    turn = Message(role=Role.ASSISTANT, parts=(sealed, *CALLS.parts[:2]))
    sent = resolve("claude", Form.ANTHROPIC).encode(chat((say(Role.USER, "go"), turn, RESULTS[0])))
    assert raw in sent
    assert '"input":{"q": "退款",  "n": 1.50}' in sent
    ours = SealedPart(raw='{"type":"refusal", "refusal":"no"}', provider="openai", block_type="refusal")
    sent = resolve("o200k", Form.OPENAI).encode(chat((Message(role=Role.ASSISTANT, parts=(ours,)),)))
    assert '[{"type":"refusal", "refusal":"no"}]' in sent


@pytest.mark.proves("R-COUNT-UNKNOWN", "R-PAIN-P022")
@pytest.mark.parametrize("form", [Form.OPENAI, Form.ANTHROPIC, Form.JSON])
def test_a_block_sealed_for_somebody_else_never_reaches_a_body(form: Form) -> None:
    for provider in {"openai", "anthropic", "json", "other"} - {form.value}:
        sealed = SealedPart(raw='{"type":"x"}', provider=provider, block_type="x")
        prompt = chat((Message(role=Role.ASSISTANT, parts=(sealed,)),))
        for name in ("o200k", "claude", "smollm2"):
            with pytest.raises(IncompatibleSpec, match=f"sealed for {provider}"):
                resolve(name, form).encode(prompt)
            with pytest.raises(IncompatibleSpec, match=f"sealed for {provider}"):
                resolve(name, form).count(prompt)


def test_what_is_no_json_is_refused_where_it_would_break_a_body() -> None:
    sealed = SealedPart(raw='{"type":', provider="anthropic", block_type="thinking")
    with pytest.raises(IncompatibleSpec, match="thinking is no JSON"):
        resolve("claude", Form.ANTHROPIC).encode(chat((Message(role=Role.ASSISTANT, parts=(sealed,)),)))
    broken = ToolSchema(name="f", description="", parameters="{")
    for form in (Form.OPENAI, Form.ANTHROPIC, Form.JSON):
        with pytest.raises(IncompatibleSpec, match="f is no JSON"):
            resolve("o200k", form).encode(chat(tools=(broken,)))
        with pytest.raises(IncompatibleSpec, match="f: its parameters"):
            resolve("o200k", form).count_tools([broken])


def test_our_own_shape_says_the_type_of_every_part() -> None:
    made = body(Form.JSON, chat((CALLS, *RESULTS), tools=(TOOL,)))
    assert list(made) == ["messages", "tools"]
    kinds = [[part["type"] for part in message["content"]] for message in made["messages"]]
    assert kinds == [["text"], ["text", "tool_call", "tool_call"], ["tool_result"], ["tool_result"], ["text"]]
    assert made["messages"][3]["content"][0]["images"][0]["data"] == "aGk="


@given(text=texts)
def test_every_text_comes_back_from_every_body(text: str) -> None:
    prompt = chat(text=f"x{text}x")
    for form in (Form.OPENAI, Form.ANTHROPIC, Form.JSON):
        assert f"x{text}x" in strings(body(form, prompt))


@pytest.mark.proves("R-PAIN-P035")
@pytest.mark.parametrize(
    ("rule", "image", "cost"),
    [
        (Tiles(base=85, tile=170), ImagePart(width=1024, height=1024), 765),
        (Tiles(base=85, tile=170), ImagePart(width=2048, height=4096), 1105),
        (Tiles(base=85, tile=170), ImagePart(width=4096, height=8192, detail="low"), 85),
        (Tiles(base=85, tile=170), ImagePart(width=10, height=10), 255),
        (Tiles(base=85, tile=170), ImagePart(), 1445),
        (Patches(factor=1.62), ImagePart(width=1024, height=1024), 1659),
        (Patches(factor=1.0), ImagePart(), 1536),
        (Area(most=1600), ImagePart(width=1000, height=1000), 1334),
        (Area(most=1600), ImagePart(width=1, height=1), 1),
        (Area(most=1600), ImagePart(), 1600),
    ],
)
def test_pictures_cost_what_providers_publish(rule: Tiles | Patches | Area, image: ImagePart, cost: int) -> None:
    assert rule.cost(image) == cost


@pytest.mark.proves("R-PAIN-P020", "R-PAIN-P022", "R-PAIN-P035")
def test_calls_results_pictures_and_seals_all_count() -> None:
    profile = resolve("claude", Form.ANTHROPIC)
    sealed = SealedPart(
        raw='{"type":"thinking","thinking":"long thoughts"}', provider="anthropic", block_type="thinking"
    )
    bare = profile.count_turns([(Message(role=Role.ASSISTANT, parts=()),)])[0]
    for part in (CALLS.parts[1], RESULTS[0].parts[0], IMAGE, sealed):
        assert profile.count_turns([(Message(role=Role.ASSISTANT, parts=(part,)),)])[0] > bare


def test_tools_are_shown_as_typescript() -> None:
    schema = {
        "type": "object",
        "properties": {
            "place": {"type": "string", "description": "City\nand country"},
            "unit": {"type": "string", "enum": ["C", "F"]},
            "days": {"type": "array", "items": {"type": "integer"}},
            "more": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]},
            "any": {"anyOf": [{"type": "null"}]},
        },
        "required": ["place"],
    }
    text = described(ToolSchema(name="weather", description="The weather.", parameters=json.dumps(schema)))
    assert text == (
        '// The weather.\ntype weather = (_: {\n// City\n// and country\nplace: string,\nunit?: "C" | "F",\n'
        'days?: number[],\nmore?: {\nx: boolean,\n},\nany?: {"anyOf":[{"type":"null"}]},\n}) => any;\n\n'
    )
    assert described(ToolSchema(name="f", description="", parameters="{}")) == "type f = () => any;\n\n"


def test_pictures_of_several_results_follow_all_of_them() -> None:
    calls = tuple(ToolCallPart(call_id=name, name="look", arguments="{}") for name in "ab")
    picture = ImagePart(media_type="image/png", data="AAAA", width=8, height=8)
    turns = (
        Message(role=Role.ASSISTANT, parts=calls),
        *(
            Message(role=Role.TOOL, parts=(ToolResultPart(call_id=name, text=name, images=(picture,)),))
            for name in "ab"
        ),
        Message(role=Role.USER, parts=(TextPart(text="And?"),)),
    )
    records = openai_messages(turns)
    assert [record["role"] for record in records] == ["assistant", "tool", "tool", "user", "user"]
    assert [record.get("tool_call_id") for record in records[1:3]] == ["a", "b"]
    assert [part["type"] for part in records[3]["content"]] == ["image_url", "image_url"]
    assert records[4]["content"] == "And?"
    assert openai_messages(turns[:-1]) == records[:-1]
