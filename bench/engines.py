"""Tokenizer engines side by side: speed, agreement with tiktoken, size; nothing here is used by the product."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TypedDict

from bench.corpus import paragraphs, texts
from bench.figures import Cell, Row, Table
from bench.rooms import ENGINES, command, size, surroundings, vocabularies

_FILES = {
    "quicktok": ("quicktok", "quicktok_v1.libs"),
    "tiktoken": ("tiktoken", "tiktoken_ext"),
    "rs-bpe": ("rs_bpe", "rs_bpe.libs"),
    "gigatoken": ("gigatoken", "gigatoken.libs"),
    "puretiktoken": ("puretiktoken",),
    "HF tokenizers": ("tokenizers",),
}
_BORROWING = ("tiktoken", "gigatoken")
_PATIENCE = 300


class Told(TypedDict):
    """What one engine made of one corpus: seconds, and the ids of each text."""

    cold: float
    warm: float
    ids: list[list[int]]


class Answer(TypedDict):
    """What one engine told: CPU seconds to load its vocabulary, and what it made of each corpus."""

    load: float
    corpora: dict[str, Told]


def measure(*, quick: bool) -> tuple[Table, ...]:
    """One row for each engine; o200k except where an engine has no such vocabulary."""
    title = "5 · Tokenizer engines (o200k)"
    about = (
        "Load is CPU until the first text is encoded, in a fresh process. MB of UTF-8 are counted per CPU second, one"
        " call a text, cold / repeated. Wrong: texts whose ids differ from"
        " tiktoken's. Disk: the package's own files; tiktoken and gigatoken borrow a vocabulary of 3.6 MB; HF"
        " tokenizers are measured with DeepSeek-V3's vocabulary, so that their ids cannot be compared."
    )
    if ENGINES.missing:
        return (Table(title=title, about=f"Not run: {ENGINES.missing}.", columns=("engine",), rows=()),)
    corpora = _corpora(300 if quick else 3_000)
    told = {name: _ask(name, corpora) for name in ("tiktoken", *(name for name in _FILES if name != "tiktoken"))}
    rows: list[Row] = []
    for name, answer in told.items():
        if isinstance(answer, str):
            rows.append(Row(cells=(name, None, *([None] * len(corpora)), answer, None)))
            continue
        speeds = [_speed(answer["corpora"][corpus], pieces) for corpus, pieces in corpora.items()]
        wrong = _wrong(name, answer, told["tiktoken"])
        rows.append(Row(cells=(name, answer["load"] * 1e3, *speeds, wrong, size(ENGINES, *_FILES[name]))))
    columns = ("engine", "load, ms", *(f"{corpus}, MB/s" for corpus in corpora), "wrong", "disk, MB")
    return (Table(title=title, about=about, columns=columns, rows=tuple(rows)),)


def _corpora(count: int) -> dict[str, list[str]]:
    code = [text for _, _, text in texts(count)]
    prose = {"English": list(paragraphs("en")), "Chinese": list(paragraphs("zh"))}
    return {**{name: pieces for name, pieces in prose.items() if pieces}, "code": code}


def _ask(name: str, corpora: dict[str, list[str]]) -> Answer | str:
    if name in (*_BORROWING, "HF tokenizers") and not vocabularies().exists():
        return "no vocabulary at hand"
    with tempfile.TemporaryDirectory(prefix="conspectus-bench-") as folder:
        asked, reply = Path(folder, "texts.json"), Path(folder, "reply.json")
        asked.write_text(json.dumps(corpora), "utf-8")
        arguments = [*command(ENGINES, "engine.py"), name, str(asked), str(reply)]
        try:
            done = subprocess.run(
                arguments, env=surroundings(ENGINES), capture_output=True, text=True, timeout=_PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return "too slow"
        if done.returncode:
            return f"fails: {done.stderr.strip().splitlines()[-1]}"
        answer: Answer = json.loads(reply.read_text("utf-8"))
        return answer


def _speed(told: Told, pieces: list[str]) -> str:
    megabytes = sum(len(text.encode()) for text in pieces) / 1e6
    return f"{megabytes / told['cold']:.1f} / {megabytes / told['warm']:.1f}"


def _wrong(name: str, answer: Answer, reference: Answer | str) -> Cell:
    if isinstance(reference, str) or name == "HF tokenizers":
        return None
    wrong = total = 0
    for corpus, told in answer["corpora"].items():
        theirs = reference["corpora"][corpus]["ids"]
        wrong += sum(mine != other for mine, other in zip(told["ids"], theirs, strict=True))
        total += len(theirs)
    return f"{wrong} of {total:,}"
