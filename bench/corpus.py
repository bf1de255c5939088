"""Real text for the benchmarks: the running Python's own library, and Chinese and English paragraphs where at hand."""

import json
import sysconfig
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Caller, Form, Request
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Gathered, Offer
from conspectus.core.message import Role
from conspectus.core.ports import ModelProfile
from conspectus.core.spec import Budget, ContextSpec
from conspectus.models.registry import resolve

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
QUESTION = "How does CookieJar decide whether to accept a cookie by domain policy? Fix expired cookie clearing."
PARAGRAPHS = Path(__file__).parents[2] / "shared" / "data" / "xquad"
_PIECE = 500


def stdlib() -> Path:
    """The folder of the running Python's own library."""
    return Path(sysconfig.get_paths()["stdlib"])


def _pieces() -> Iterator[tuple[str, int, str]]:
    seen: set[str] = set()
    for root in (stdlib(), Path(sysconfig.get_paths()["purelib"])):
        for path in sorted(root.rglob("*.py")):
            try:
                text = path.read_text("utf-8")
            except (UnicodeDecodeError, OSError):
                continue
            for number, start in enumerate(range(0, len(text), _PIECE)):
                piece = text[start : start + _PIECE]
                if len(piece) > _PIECE // 4 and piece not in seen:
                    seen.add(piece)
                    yield path.relative_to(root).as_posix(), number, piece


@cache
def texts(count: int) -> tuple[tuple[str, int, str], ...]:
    """Up to `count` distinct pieces of about 500 characters, `http/cookiejar.py` first: path, number, text."""
    found: list[tuple[str, int, str]] = []
    wanted = list(_pieces_of("http/cookiejar.py"))[: max(count // 10, 1)]
    known = {piece for _, _, piece in wanted}
    for piece in _pieces():
        if len(found) + len(wanted) == count:
            break
        if piece[2] not in known and piece[0] != "http/cookiejar.py":
            found.append(piece)
    return (*wanted, *found)


def _pieces_of(name: str) -> Iterator[tuple[str, int, str]]:
    text = (stdlib() / name).read_text("utf-8")
    for number, start in enumerate(range(0, len(text) - _PIECE, _PIECE)):
        yield name, number, text[start : start + _PIECE]


@cache
def candidates(count: int) -> tuple[ContextItem, ...]:
    """`count` evidence items over real source text, ages spread over thirty days."""
    return tuple(
        ContextItem(
            item_id=f"file/{path}#L{number}",
            kind=Kind.EVIDENCE,
            content=text,
            source_uri=f"file:{path}",
            source_version=f"{index:08x}",
            observed_at=NOW - timedelta(minutes=index * 7919 % 43200),
            trust=Trust.TRUSTED,
        )
        for index, (path, number, text) in enumerate(texts(count))
    )


@cache
def paragraphs(language: str) -> tuple[str, ...]:
    """The paragraphs of XQuAD in `en` or `zh`; empty where the set is not beside the repository."""
    path = PARAGRAPHS / f"xquad.{language}.json"
    if not path.exists():
        return ()
    articles = json.loads(path.read_text("utf-8"))["data"]
    return tuple(paragraph["context"] for article in articles for paragraph in article["paragraphs"])


def mandatory() -> tuple[ContextItem, ContextItem]:
    """One approved instruction and the request."""
    instruction = ContextItem(
        item_id="instruction/precise",
        kind=Kind.INSTRUCTION,
        content="Be precise.",
        role=Role.SYSTEM,
        authority=Authority.APPLICATION,
        mandatory=True,
    )
    request = ContextItem(
        item_id="request", kind=Kind.REQUEST, content=QUESTION, authority=Authority.USER, mandatory=True
    )
    return instruction, request


def profile(name: str = "o200k") -> ModelProfile:
    """The profile the figures are made with, as text."""
    return resolve(name, Form.TEXT)


Call = tuple[tuple[Offer, ...], Request, Caller, ContextSpec, ModelProfile, datetime]


def call(items: tuple[ContextItem, ...], limit: int, model: ModelProfile, question: str = QUESTION) -> Call:
    """The arguments of `compose` for `items` under a limit of `limit` tokens."""
    blank = ContextSpec(
        model="",
        model_revision="",
        tokenizer_revision="",
        template_revision="",
        budget=Budget(window=model.limits.window, input_limit=limit),
    )
    offers = (Offer(source="bench", gathered=Gathered(items=(*mandatory(), *items))),)
    return offers, Request(question=question), Caller(), spec_for(model, blank), model, NOW
