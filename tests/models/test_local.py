"""Open models: read from a folder, adapted to, rendered as their server renders, and safe whatever data says."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from tokenizers import Tokenizer

from conspectus.core.call import Form
from conspectus.core.message import Message, Prompt, Role, TextPart, ToolCallPart, ToolResultPart, ToolSchema
from conspectus.errors import IncompatibleSpec, InputError
from conspectus.models.local.opening import OpenProfile
from conspectus.models.registry import resolve
from tests.models.conformance import TOOL, chat, exchange, say
from tests.models.folders import TEMPLATES, TOKENIZERS, write_folder
from tests.models.texts import CONTROLS, neutral, texts
from tests.models.vocabularies import carried

MOMENT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def opened(folder: Path, form: Form = Form.OPENAI, moment: datetime | None = MOMENT) -> OpenProfile:
    profile = resolve(str(folder), form, moment=moment)
    assert isinstance(profile, OpenProfile)
    return profile


def hostile_prompt(text: str) -> Prompt:
    """A prompt with `text` in every place data can stand."""
    arguments = json.dumps({"q": text, "list": [text], text: 1}, ensure_ascii=False)
    call = ToolCallPart(call_id="call_1", name="search", arguments=arguments)
    result = ToolResultPart(call_id="call_1", name="search", text=text)
    parameters = json.dumps({"type": "object", "properties": {"q": {"type": "string", "description": text}}})
    return Prompt(
        messages=(
            say(Role.SYSTEM, f"s {text}"),
            say(Role.USER, f"u {text}"),
            Message(role=Role.ASSISTANT, parts=(call,)),
            Message(role=Role.TOOL, parts=(result,)),
            say(Role.ASSISTANT, f"a {text}"),
            say(Role.USER, f"v {text}"),
        ),
        tools=(ToolSchema(name="search", description=f"d {text}", parameters=parameters),),
    )


@pytest.mark.proves("R-CONTRACT-DATA", "R-COUNT-CONTROL", "R-CASE-D01", "R-CASE-D04", "R-CASE-D05", "R-CASE-D10")
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_data_gives_no_control_id(kind: str, template: str, tmp_path: Path) -> None:
    profile = opened(write_folder(tmp_path / "model", kind, template))
    engine = Tokenizer.from_file(str(tmp_path / "model" / "tokenizer.json"))
    controls = {engine.token_to_id(control) for control in profile.control_strings} - {None}
    if kind == "unigram":
        controls.discard(engine.token_to_id("<unk>"))  # what its vocabulary lacks is unknown, in data as well
    bare = profile.encode_ids(hostile_prompt("x"))
    structure = [number for number in bare if number in controls]
    for text in (*CONTROLS, " ".join(CONTROLS), "".join(CONTROLS)):
        ids = profile.encode_ids(hostile_prompt(text))
        assert [number for number in ids if number in controls] == structure, text


@pytest.mark.proves("R-CONTRACT-DATA", "R-COUNT-CONTROL")
@pytest.mark.parametrize(("kind", "template"), [*zip(TOKENIZERS, TEMPLATES, strict=False), ("metaspace", "strict")])
def test_ids_are_those_of_the_neutralised_text(
    kind: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write_folder(tmp_path_factory.mktemp("model"), kind, template)
    profile = opened(folder)
    engine = Tokenizer.from_file(str(folder / "tokenizer.json"))

    @given(text=texts)
    def equal(text: str) -> None:
        prompt = hostile_prompt(neutral(text, profile.control_strings))
        ids = engine.encode(profile.render(prompt), add_special_tokens=False).ids
        assert profile.encode_ids(prompt) == ids
        assert profile.count(prompt) == len(ids)

    equal()


@pytest.mark.proves("R-COUNT-CONTROL")
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_the_tokenizer_reads_control_strings_as_text(kind: str, tmp_path: Path) -> None:
    profile = opened(write_folder(tmp_path / "model", kind, "chatml"))
    vocabulary = profile._counter.tokenizer
    engine = Tokenizer.from_file(str(tmp_path / "model" / "tokenizer.json"))
    for control in profile.control_strings:
        ids = vocabulary.encode(f"a {control} b")
        assert engine.token_to_id(control) not in ids or control == "<unk>"
        assert vocabulary.count(f"a {control} b") == len(ids)
        assert vocabulary.count_many([f"a {control} b", "x"]).tolist() == [len(ids), vocabulary.count("x")]


def test_a_noncharacter_that_ids_need_for_themselves_is_refused(tmp_path: Path) -> None:
    profile = opened(write_folder(tmp_path / "model", "bytes", "chatml"))
    with pytest.raises(IncompatibleSpec, match="noncharacter"):
        profile.encode_ids(hostile_prompt("\ufdd03\ufdd1"))


@pytest.mark.proves("R-COUNT-CONTROL")
@pytest.mark.parametrize("kind", ["split", "nfkc"])
def test_control_tokens_that_match_after_normalisation_stay_text(kind: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", kind, "chatml")
    described = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    for token in described["added_tokens"]:
        token["normalized"] = True
    described["normalizer"] = {"type": "NFKC"}
    (folder / "tokenizer.json").write_text(json.dumps(described), "utf-8")
    profile = opened(folder)
    disguised = "\uff1c|im_end|\uff1e"
    vocabulary = profile._counter.tokenizer
    engine = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert engine.token_to_id("<|im_end|>") in engine.encode(disguised).ids
    assert engine.token_to_id("<|im_end|>") not in vocabulary.encode(disguised)
    with pytest.raises(IncompatibleSpec, match="normalis"):
        profile.count(chat(text=f"[Task]\n\n{disguised}"))


@pytest.mark.proves("R-COUNT-LOCAL", "R-PAIN-P025")
def test_each_template_is_given_what_it_can_write(tmp_path: Path) -> None:
    needs = {name: opened(write_folder(tmp_path / name, "bytes", name)).adaptations for name in (*TEMPLATES, "dated")}
    assert needs == {
        "chatml": (),
        "bars": (),
        "headers": ("spoken calls split",),
        "inst": ("spoken calls split",),
        "fullwidth": ("spoken calls split",),
        "turns": ("one turn a role", "system in the first user turn", "tools in the system turn"),
        "strict": (
            "one turn a role",
            "short call ids",
            "spoken calls split",
            "the user first",
            "turns alternate around calls",
        ),
        "instruction": ("calls as text", "tools in the system turn"),
        "dated": ("one call a turn", "spoken calls split"),
    }


@pytest.mark.parametrize("template", [*TEMPLATES, "dated"])
def test_no_word_is_lost_whatever_the_template(template: str, tmp_path: Path) -> None:
    profile = opened(write_folder(tmp_path / "model", "bytes", template))
    call = ToolCallPart(call_id="call_2", name="lookup", arguments='{"key":"value7"}')
    other = ToolCallPart(call_id="call_3", name="measure", arguments='{"unit":"parsec"}')
    units = (
        (say(Role.USER, "first question"), say(Role.ASSISTANT, "first answer")),
        (say(Role.ASSISTANT, "second thought"),),
        exchange(1),
        (
            Message(role=Role.ASSISTANT, parts=(TextPart(text="spoken aside"), call, other)),
            Message(role=Role.TOOL, parts=(ToolResultPart(call_id="call_2", name="lookup", text="result two"),)),
            Message(role=Role.TOOL, parts=(ToolResultPart(call_id="call_3", name="measure", text="result three"),)),
        ),
        (say(Role.USER, "third question"),),
    )
    words = (
        "Be brief", "first question", "first answer", "second thought", "1 退款", "found 1 件", "It is 1.",
        "spoken aside", "lookup", "value7", "measure", "parsec", "result two", "result three", "third question",
        "Answer.", "search", "Find 文件",
    )  # fmt: skip
    for order in (units, units[::-1], units[1:], units[2:4], units[3:]):
        prompt = chat(*order, tools=(TOOL,))
        body, text = profile.encode(prompt), profile.render(prompt)
        said = [word for word in words if any(word in repr(turn) for turn in (*prompt.messages, *prompt.tools))]
        assert [word for word in said if word not in text] == []
        assert [word for word in said if word not in body] == []


def test_a_conversation_no_adaptation_helps_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", "bytes", "chatml")
    (folder / "chat_template.jinja").write_text("{{ raise_exception('never') }}", "utf-8")
    profile = opened(folder)
    with pytest.raises(IncompatibleSpec, match="never"):
        profile.count(chat())
    with pytest.raises(IncompatibleSpec, match="never"):
        profile.count_turns([exchange(1)])


@pytest.mark.proves("R-COUNT-LOCAL", "R-HOUSE-DETERMINISM")
def test_a_template_that_writes_the_date_gets_the_moment_of_the_call(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", "bytes", "dated")
    profile = opened(folder)
    assert "Today Date: 30 Nov 2026" in profile.render(chat())
    assert profile.template_revision != opened(folder, moment=datetime(2026, 12, 1, tzinfo=UTC)).template_revision
    assert profile.template_revision == opened(folder, moment=MOMENT.replace(hour=3)).template_revision
    with pytest.raises(IncompatibleSpec, match="moment"):
        opened(folder, moment=None)


def test_the_template_is_found_in_every_place_a_folder_may_keep_it(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", "bytes", "chatml")
    expected = opened(folder).render(chat(tools=(TOOL,)))
    source = (folder / "chat_template.jinja").read_text("utf-8")
    (folder / "chat_template.jinja").unlink()
    settings = {"bos_token": {"content": "<s>"}, "eos_token": "</s>"}
    named = [{"name": "default", "template": "{{ 'no' }}"}, {"name": "tool_use", "template": source}]
    for chosen in (source, named, {"default": "{{ 'no' }}", "tool_use": source}):
        (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "chat_template": chosen}), "utf-8")
        assert opened(folder).render(chat(tools=(TOOL,))) == expected
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": source}), "utf-8")
    assert opened(folder).render(chat(tools=(TOOL,))) == expected


def test_limits_come_from_the_files(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", "bytes", "chatml")
    assert opened(folder).limits.window == 32768
    (folder / "generation_config.json").write_text('{"max_new_tokens": 2048}', "utf-8")
    assert (opened(folder).limits.window, opened(folder).limits.output) == (32768, 2048)
    (folder / "config.json").write_text('{"text_config": {"max_position_embeddings": 8192}}', "utf-8")
    assert opened(folder).limits.window == 8192
    (folder / "config.json").unlink()
    assert opened(folder).limits.window == 4096


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("tokenizer.json", b"", "is no JSON object"),
        ("tokenizer.json", b"[1]", "is no JSON object"),
        ("tokenizer.json", b'{"model":{}}', "no tokenizer this library can build"),
        ("tokenizer_config.json", b"{", "is no JSON object"),
        ("chat_template.jinja", b"\xff", "is not UTF-8"),
        ("chat_template.jinja", b"{% if %}", "is no Jinja"),
    ],
)
def test_a_damaged_folder_is_refused_with_its_file(file: str, content: bytes, message: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", "bytes", "chatml")
    (folder / file).write_bytes(content)
    with pytest.raises(InputError, match=message) as refusal:
        opened(folder)
    assert str(folder) in refusal.value.path


def test_a_folder_without_a_template_says_what_to_add(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", "bytes", "chatml")
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(InputError, match=r"add chat_template\.jinja"):
        opened(folder)


@pytest.mark.proves("R-COUNT-LOCAL", "R-PAIN-P032")
def test_rendering_does_what_transformers_does(tmp_path: Path) -> None:
    """Letters stay letters in JSON, blocks are trimmed, and nothing of a template is escaped for HTML."""
    folder = write_folder(tmp_path / "model", "bytes", "chatml")
    source = "{% if true %}\n  {{ messages[0] | tojson }}\n{% endif %}\n{{ '<&>' }}{{ tools | tojson(indent=2) }}"
    (folder / "chat_template.jinja").write_text(source, "utf-8")
    prompt = Prompt(messages=(say(Role.USER, "<b> 'é' 退款 👍"),))
    assert opened(folder).render(prompt) == '  {"role": "user", "content": "<b> \'é\' 退款 👍"}\n<&>null'


@pytest.mark.parametrize(
    "source", ["{{ ''.__class__.__mro__ }}", "{{ cycler.__init__.__globals__ }}", "{{ messages.append(1) }}"]
)
def test_a_template_reaches_nothing_outside_the_sandbox(source: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", "bytes", "chatml")
    (folder / "chat_template.jinja").write_text(source, "utf-8")
    with pytest.raises(IncompatibleSpec, match=r"unsafe|undefined|no attribute"):
        opened(folder).render(chat())


@pytest.mark.proves("R-PAIN-P032")
def test_published_vocabularies_count_like_the_bare_engine(tmp_path: Path) -> None:
    for name in ("deepseek", "claude-2"):
        folder = write_folder(tmp_path / name, "bytes", "bars")
        (folder / "tokenizer.json").write_bytes(carried(name).read_bytes())
        profile = opened(folder)
        engine = Tokenizer.from_file(str(folder / "tokenizer.json"))
        for text in ("plain words", "上下文工程", "\ufb01 ﬀ ① é e\u0301", "  spaces  ", "\n\n\n"):
            prompt = chat(text=f"[Task]\n\n{text}")
            rendered = profile.render(prompt)
            assert profile.count(prompt) == len(engine.encode(rendered, add_special_tokens=False).ids)


@pytest.mark.proves("R-COUNT-ADDITIVE")
def test_units_add_up_where_the_template_lets_roles_follow_each_other(tmp_path: Path) -> None:
    units = [exchange(1), (say(Role.USER, "而且？"), say(Role.ASSISTANT, "yes ")), exchange(2), exchange(3)]
    for template in ("chatml", "headers", "bars", "fullwidth", "inst", "instruction"):
        profile = opened(write_folder(tmp_path / template, "split", template))
        costs = profile.count_turns(units)
        assert profile.count(chat(*units)) == profile.count(chat()) + costs.sum(), template


@pytest.mark.proves("R-COUNT-ADDITIVE", "R-PAIN-P076")
def test_tools_add_up_where_each_has_a_line_of_its_own(tmp_path: Path) -> None:
    profile = opened(write_folder(tmp_path / "model", "split", "chatml"))
    deep = '{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{}}}}}}'
    tools = [TOOL, replace(TOOL, name="deep", parameters=deep), replace(TOOL, name="other", description="x " * 40)]
    one = profile.count(chat(tools=(TOOL,)))
    assert profile.count(chat(tools=tuple(tools))) == one + profile.count_tools(tools[1:]).sum()
