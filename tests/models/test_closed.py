"""Closed models: what their counts are made of, how far estimates may be off, and the provider's own count."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from conspectus.core.call import Form
from conspectus.core.message import Message, Prompt, Role
from conspectus.core.ports import Exactness
from conspectus.errors import IncompatibleSpec, ModelUnavailable
from conspectus.models.count_endpoint import count_endpoint
from conspectus.models.encodings import load_encoding
from conspectus.models.estimate import CLAUDE_3, CLAUDE_5, EstimatingTokenizer
from conspectus.models.profile import Profile
from conspectus.models.registry import resolve
from tests.models.conformance import TOOL, chat, exchange, say
from tests.models.texts import PIECES
from tests.models.vocabularies import reference

# OpenAI's cookbook, "How to count tokens with tiktoken", part 6: six messages, 129 tokens for gpt-4, 124 for gpt-4o.
# Two of its system messages carry a name, which our turns do not have; a name costs 1 and its own tokens.
COOKBOOK = (
    (
        Role.SYSTEM,
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    ),
    (Role.SYSTEM, "New synergies will help drive top-line growth."),
    (Role.SYSTEM, "Things working well together will increase revenue."),
    (
        Role.SYSTEM,
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    ),
    (Role.SYSTEM, "Let's talk later when we're less busy about how to do better."),
    (
        Role.USER,
        "This late pivot means we don't have time to boil the ocean for the client deliverable.",
    ),
)
NAMES = ("example_user", "example_assistant", "example_user", "example_assistant")


@pytest.mark.proves("R-COUNT-OPENAI", "R-PAIN-P037")
@pytest.mark.parametrize(
    ("name", "encoding", "published"), [("cl100k", "cl100k_base", 129), ("o200k", "o200k_base", 124)]
)
def test_turns_count_what_the_cookbook_measured(name: str, encoding: str, published: int) -> None:
    prompt = Prompt(messages=tuple(say(role, text) for role, text in COOKBOOK))
    named = sum(1 + len(reference(encoding).encode(name)) for name in NAMES)
    assert resolve(name, Form.OPENAI).count(prompt) + named == published


@pytest.mark.proves("R-COUNT-OPENAI", "R-CONTRACT-ESTIMATE")
def test_text_alone_is_exact_and_a_chat_is_an_estimate() -> None:
    for name in ("o200k", "cl100k", "openai/gpt-5.5"):
        assert resolve(name, Form.TEXT).exactness is Exactness.EXACT
        for form in (Form.JSON, Form.OPENAI, Form.ANTHROPIC):
            profile = resolve(name, form)
            assert (profile.exactness, profile.margin) == (Exactness.ESTIMATED, 0.05)
    for form in Form:
        assert resolve("claude", form).exactness is Exactness.ESTIMATED


@pytest.mark.proves("R-COUNT-ADDITIVE")
@pytest.mark.parametrize("name", ["o200k", "cl100k", "claude"])
def test_turns_and_tools_add_up_by_definition(name: str) -> None:
    profile = resolve(name, Form.OPENAI)
    units = [exchange(1), (say(Role.USER, "而且？"),), exchange(2)]
    tools = [TOOL, TOOL, TOOL]
    empty = profile.count(chat((say(Role.USER, ""),)))
    whole = profile.count(chat((say(Role.USER, ""),), *units, tools=tuple(tools)))
    one = profile.count(chat((say(Role.USER, ""),), tools=(TOOL,)))
    opening = one - empty - profile.count_tools([TOOL])[0]
    assert whole == empty + opening + profile.count_turns(units).sum() + profile.count_tools(tools).sum()


# Counts of ctok 1.1.0 for texts of our own, its message frame taken off: Claude 3 to Opus 4.6, and Opus 5.
MEASURED: dict[str, tuple[int, int]] = {
    (
        "The assembler decides, before every call of a language model, what it gets to see, and is able to sa"
        "y why it left the rest out."
    ): (31, 35),
    (
        'def fit(ranked, context, spec, profile):\n    """Choose what enters."""\n    for item in ranked.items:'
        "\n        if item.tokens <= room:\n            room -= item.tokens\n            yield item\n"
    ): (47, 65),
    "上下文工程决定模型在一次推断中能看到什么。它从指令、用户输入、检索证据和历史中构造一个有界的、可解释的视图。": (
        55,
        54,
    ),
    "コンテキストは有限です。モデルが見るべきものだけを選び、なぜそれを選んだのかを説明できるようにします。": (45, 45),
    "컨텍스트는 유한합니다. 모델이 보아야 할 것만 고르고 왜 골랐는지 설명할 수 있어야 합니다.": (56, 55),
    (
        '{"type":"object","properties":{"question":{"type":"string","description":"What is asked"},"limit":{"'
        'type":"integer"}},"required":["question"]}'
    ): (37, 52),
    (
        "Der Assembler entscheidet vor jedem Aufruf, was das Modell zu sehen bekommt, und kann begründen, wes"
        "halb etwas fehlt."
    ): (42, 56),
    "| region | total | share |\n|---|---:|---:|\n| north | 41 | 12.5 % |\n| south | 287 | 87.5 % |\n": (44, 47),
    "ERROR HTTP_STATUS 503 SERVICE UNAVAILABLE: RETRY AFTER MAX_BACKOFF_SECONDS, SEE RUNBOOK": (30, 66),
    ("Контекст ограничен: модель видит только то, что ей дали, и сборщик объясняет, почему остальное не вошло."): (
        42,
        42,
    ),
}


@pytest.mark.proves("R-COUNT-ANTHROPIC", "R-PAIN-P032")
def test_estimates_with_their_margin_cover_what_was_measured() -> None:
    for weights, place in ((CLAUDE_3, 0), (CLAUDE_5, 1)):
        tokenizer = EstimatingTokenizer(load_encoding("o200k_base"), weights)
        for text, measured in MEASURED.items():
            estimate = tokenizer.count(text)
            assert measured[place] <= estimate * (1 + weights.margin), text
            assert measured[place] >= estimate * (1 - weights.margin), text


@pytest.mark.proves("R-COUNT-ANTHROPIC")
def test_the_newer_vocabulary_is_dearer() -> None:
    old, new = resolve("claude", Form.TEXT), resolve("anthropic/claude-opus-5", Form.TEXT)
    text = Prompt(text="".join(PIECES))
    assert new.count(text) > 1.1 * old.count(text)
    assert new.tokenizer_revision != old.tokenizer_revision


def test_an_estimating_tokenizer_gives_no_ids() -> None:
    tokenizer = EstimatingTokenizer(load_encoding("o200k_base"), CLAUDE_3)
    with pytest.raises(ModelUnavailable, match="not published"):
        tokenizer.encode("x")
    assert tokenizer.count("") == 0
    assert tokenizer.count_many([]).tolist() == []


class Provider(BaseHTTPRequestHandler):
    """A small server with Anthropic's count endpoint; counts bytes."""

    answer = b""
    status = 200
    seen: list[tuple[str, dict[str, str], dict[str, object]]] = []  # noqa: RUF012

    def count_body(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(body)))
        answer = self.answer or json.dumps({"input_tokens": len(body)}).encode()
        self.send_response(self.status)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = count_body  # noqa: N815 - the name the library calls

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def provider() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Provider)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Provider.answer, Provider.status, Provider.seen = b"", 200, []
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.proves("R-COUNT-ANTHROPIC")
def test_with_a_key_the_provider_counts(provider: str) -> None:
    remote = count_endpoint("secret-key", address=provider, timeout=10.0)
    profile = resolve("claude", Form.ANTHROPIC, output=50, remote=remote)
    assert (profile.exactness, profile.margin) == (Exactness.EXACT, 0.0)
    prompt = chat(exchange(1), tools=(TOOL,))
    counted = profile.count(prompt)
    path, headers, body = Provider.seen[-1]
    assert path == "/v1/messages/count_tokens"
    assert headers["x-api-key"] == "secret-key"
    assert "max_tokens" not in body
    assert {**body, "max_tokens": 50} == json.loads(profile.encode(prompt))
    assert counted == len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()) + 1
    asked = len(Provider.seen)
    assert profile.count(prompt) == counted
    assert len(Provider.seen) == asked, "the same body is asked for once"
    assert resolve("claude", Form.TEXT, remote=remote).exactness is Exactness.ESTIMATED


@pytest.mark.proves("R-PAIN-P023")
@pytest.mark.parametrize(
    ("status", "answer", "message"),
    [
        (401, b'{"error":"bad key"}', "401"),
        (500, b"", "refused to count: 500"),
        (200, b"<html>", "gave no count"),
        (200, b'{"input_tokens":"7"}', "gave no count"),
        (200, b"{}", "gave no count"),
    ],
)
def test_a_count_that_cannot_be_had_is_an_error(status: int, answer: bytes, message: str, provider: str) -> None:
    Provider.status, Provider.answer = status, answer
    profile = resolve("claude", Form.ANTHROPIC, remote=count_endpoint("secret-key", address=provider))
    with pytest.raises(ModelUnavailable, match=message) as refusal:
        profile.count(chat())
    assert "secret-key" not in str(refusal.value)


def test_nobody_there_is_an_error_and_only_the_web_is_asked() -> None:
    with pytest.raises(ModelUnavailable, match="leave the key out to estimate"):
        count_endpoint("k", address="http://127.0.0.1:9", timeout=1.0)(b"{}")
    with pytest.raises(IncompatibleSpec, match="https"):
        count_endpoint("k", address="file:///etc")


def test_a_turn_of_nothing_still_has_its_frame() -> None:
    profile = resolve("o200k", Form.OPENAI)
    assert isinstance(profile, Profile)
    assert profile.count_turns([(Message(role=Role.USER, parts=()),)]).tolist() == [4]
