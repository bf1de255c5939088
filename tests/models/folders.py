"""Open models made in the test: small real tokenizers of five kinds, each with each of six chat templates."""

import json
from functools import cache
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

TEMPLATES = ("chatml", "headers", "inst", "turns", "bars", "fullwidth", "strict", "instruction")
TOKENIZERS = ("bytes", "split", "nfkc", "metaspace", "unigram")
_SPECIAL = [
    "<s>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
    "<start_of_turn>", "<end_of_turn>", "[INST]", "[/INST]", "<｜User｜>", "<｜Assistant｜>",
]  # fmt: skip
_STRUCTURAL = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
_TEXT = [
    "The quick brown fox jumps over the lazy dog. Refunds are accepted within 30 days of purchase.",
    "def fetch(url: str, retries: int = 3) -> bytes:\n    for attempt in range(retries):\n        return open(url)\n",
    "上下文工程决定模型在一次推断中能看到什么。它从指令、用户输入、检索证据中构造一个有界的视图。",
    '<data id="file/src/app.py#L10-42" kind="evidence" version="3f2a" time="2026-11-30T10:00:00Z">\n</data>\n\n',
    "[Evidence]\n\n[Task]\n\n[Role & Policies]\n\n[Output]\n\n",
    "[{'name': 'search', 'type': 'function', 'parameters': {'type': 'object', 'properties': {}}}]",
] * 20


@cache
def tokenizer(kind: str) -> Tokenizer:
    """A tokenizer of one kind, trained on a little text of ours; every byte has a token."""
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    if kind == "unigram":
        made = Tokenizer(models.Unigram())
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer: object = trainers.UnigramTrainer(vocab_size=900, special_tokens=_SPECIAL, unk_token="<unk>")
    elif kind == "metaspace":
        made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
        made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
        trainer = trainers.BpeTrainer(vocab_size=1200, special_tokens=[*_SPECIAL, *bytes_])
    else:
        made = Tokenizer(models.BPE())
        if kind == "nfkc":
            made.normalizer = normalizers.NFKC()
        steps: list[object] = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=kind != "split")]
        if kind == "split":
            pattern = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            steps.insert(0, pre_tokenizers.Split(Regex(pattern), "isolated"))
        made.pre_tokenizer = pre_tokenizers.Sequence(steps)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(vocab_size=1200, special_tokens=_SPECIAL, initial_alphabet=alphabet)
    # SentencePiece reads its training text by lines, so nothing it learns spans two of them.
    lines = [line for text in _TEXT for line in text.splitlines()] if kind in ("metaspace", "unigram") else _TEXT
    made.train_from_iterator(lines, trainer)
    made = _with_plain_bytes(made)
    made.add_tokens([AddedToken(token, normalized=False) for token in _STRUCTURAL])
    return made


def _with_plain_bytes(made: Tokenizer) -> Tokenizer:
    """The tokenizer with its byte tokens in the vocabulary only, where published models have them."""
    described = json.loads(made.to_str())
    described["added_tokens"] = [token for token in described["added_tokens"] if not token["content"].startswith("<0x")]
    return Tokenizer.from_str(json.dumps(described))


def write_folder(folder: Path, kind: str, template: str) -> Path:
    """A model folder as it is published: tokenizer.json, tokenizer_config.json, chat_template.jinja, config.json."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer(kind).save(str(folder / "tokenizer.json"))
    text = (Path(__file__).parent / "templates" / f"{template}.jinja").read_text("utf-8")
    (folder / "chat_template.jinja").write_text(text, "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "<s>", "eos_token": "</s>"}), "utf-8")
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 32768}), "utf-8")
    return folder
