"""Our count beside that of the live small model: its usage, its template, its tokenizer, with and without tools."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conspectus.core.call import Form
from conspectus.core.message import Prompt, Role
from conspectus.models.local.gguf_model import read_gguf
from conspectus.models.local.opening import OpenProfile, open_profile, profile_of
from conspectus.models.profile import Wire
from conspectus.models.smollm2 import packaged_model
from tests.models.conformance import TOOL, exchange, say
from tests.models.server import ModelServer, serving
from tests.models.test_exactness import assembled, payload_items
from tests.models.texts import CONTROLS, PIECES, neutral

pytestmark = pytest.mark.xdist_group("live")
WIRE = Wire(form=Form.OPENAI, output=1)
TOOLS_TEMPLATE = (Path(__file__).parent / "templates" / "chatml.jinja").read_text("utf-8")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def profile() -> OpenProfile:
    return open_profile(packaged_model(), "smollm2", WIRE)


def bodies(profile: OpenProfile, count: int, limit: int) -> Iterator[tuple[str, int]]:
    """Whole assemblies, and what we claim for each."""
    dice = random.Random(7)
    for _ in range(count):
        payload = assembled(profile, payload_items(dice), limit).payload
        yield payload.body, payload.tokens


def small_chats(profile: OpenProfile, count: int) -> Iterator[Prompt]:
    """Chats of a few dozen tokens: several turns, calls, tools, every script, neutralised control strings."""
    dice = random.Random(11)
    for number in range(count):
        drawn = dice.choices((*PIECES, *CONTROLS), k=dice.randint(1, 3))
        # What the server's JSON reader or the model's own text functions refuse is no matter of counting.
        text = neutral(" ".join(piece for piece in drawn if "\x00" not in piece), profile.control_strings)
        turns = [say(Role.SYSTEM, "Be brief."), say(Role.USER, f"[Task] {text} ?")]
        if number % 6 == 1:
            turns[1:1] = exchange(number)
        if number % 4 == 2:
            turns[1:1] = [say(Role.USER, "在吗？"), say(Role.ASSISTANT, "在。")]
        yield Prompt(messages=tuple(turns), tools=(TOOL,) if number % 5 == 3 else ())


@pytest.mark.proves("R-COUNT-LIVE", "R-COUNT-LOCAL")
def test_template_and_tokenizer_agree_with_the_server(server: ModelServer, profile: OpenProfile) -> None:
    assert [server.tokens_of(body) == tokens for body, tokens in bodies(profile, 60, 3000)] == [True] * 60


@pytest.mark.proves("R-COUNT-LIVE", "R-COUNT-LOCAL")
def test_every_seam_is_read_as_the_server_reads_it(server: ModelServer, profile: OpenProfile) -> None:
    for prompt in small_chats(profile, 150):
        assert server.tokens_of(profile.encode(prompt)) == profile.count(prompt) == len(profile.encode_ids(prompt))


@pytest.mark.proves("R-COUNT-LIVE")
def test_reported_usage_is_our_count(server: ModelServer, profile: OpenProfile) -> None:
    check_usage(server, profile, 20)


@pytest.mark.soak
@pytest.mark.proves("R-COUNT-LIVE")
def test_reported_usage_is_our_count_two_hundred_times(server: ModelServer, profile: OpenProfile) -> None:
    check_usage(server, profile, 180)
    for body, tokens in bodies(profile, 20, 600):
        assert usage(server, body) == tokens


def check_usage(server: ModelServer, profile: OpenProfile, count: int) -> None:
    for prompt in small_chats(profile, count):
        assert usage(server, profile.encode(prompt)) == profile.count(prompt)


def usage(server: ModelServer, body: str) -> int:
    """Prompt tokens the server reports after it has answered."""
    asked = {**json.loads(body), "max_completion_tokens": 1, "temperature": 0, "cache_prompt": True}
    reported: int = server.post("/v1/chat/completions", asked)["usage"]["prompt_tokens"]
    return reported


@pytest.mark.proves("R-COUNT-LIVE", "R-COUNT-LOCAL")
def test_tools_through_a_template_that_renders_them() -> None:
    model = replace(read_gguf(packaged_model(), "smollm2"), template=TOOLS_TEMPLATE)
    profile = profile_of(model, WIRE, packaged_model())
    assert profile.adaptations == ()
    with serving(TOOLS_TEMPLATE) as tooled:
        assert [tooled.tokens_of(body) == tokens for body, tokens in bodies(profile, 40, 3000)] == [True] * 40
