"""Our count beside that of the live small model: its usage, its template, its tokenizer, with and without tools."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conspectus.core.call import Form
from conspectus.models.local.profile import OpenModel, OpenProfile, open_profile
from conspectus.models.local.template import ChatTemplate
from tests.models.server import ModelServer, serving
from tests.models.test_exactness import NOW, assembled, payload_items

pytestmark = pytest.mark.xdist_group("live")
TOOLS_TEMPLATE = (Path(__file__).parent / "templates" / "chatml.jinja").read_text("utf-8")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with serving() as running:
        yield running


def own_profile() -> OpenProfile:
    return open_profile("smollm2", Form.OPENAI, 1)


def bodies(profile: OpenProfile, count: int, limit: int) -> Iterator[tuple[str, int]]:
    dice = random.Random(7)
    for _ in range(count):
        payload = assembled(profile, payload_items(dice), limit).payload
        yield payload.body, payload.tokens


@pytest.mark.proves("R-COUNT-LIVE")
def test_template_and_tokenizer_agree_with_the_server(server: ModelServer) -> None:
    assert [server.tokens_of(body) == tokens for body, tokens in bodies(own_profile(), 60, 3000)] == [True] * 60


@pytest.mark.proves("R-COUNT-LIVE")
def test_reported_usage_is_our_count(server: ModelServer) -> None:
    check_usage(server, 20)


@pytest.mark.soak
def test_reported_usage_is_our_count_two_hundred_times(server: ModelServer) -> None:
    check_usage(server, 200)


def check_usage(server: ModelServer, count: int) -> None:
    for body, tokens in bodies(own_profile(), count, 320):
        asked = {**json.loads(body), "max_completion_tokens": 1, "temperature": 0, "cache_prompt": True}
        assert server.post("/v1/chat/completions", asked)["usage"]["prompt_tokens"] == tokens


@pytest.mark.proves("R-COUNT-LIVE")
def test_tools_through_a_template_that_renders_them() -> None:
    own = own_profile().model
    template = ChatTemplate(TOOLS_TEMPLATE, bos="", eos="<|im_end|>", moment=NOW)
    model: OpenModel = replace(own, template=template)
    profile = OpenProfile(model, Form.OPENAI, 1)
    with serving(TOOLS_TEMPLATE) as tooled:
        assert [tooled.tokens_of(body) == tokens for body, tokens in bodies(profile, 40, 3000)] == [True] * 40
