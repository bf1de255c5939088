"""An open model from a GGUF file: its vocabulary in the shape of a tokenizer.json, its template, its limits.

How text is cut before bytes are merged is named in the file and defined in llama.cpp (src/llama-vocab.cpp). Only rules
that were compared with another engine are here; any other name is refused, for a guess would count wrongly.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from conspectus.core.ports import Limits
from conspectus.errors import InputError
from conspectus.models.local.gguf import Value, read_metadata
from conspectus.models.local.model import Described, OpenModel

Wanted = TypeVar("Wanted", int, str)

_CONTROL, _USER_DEFINED = 3, 4
_WINDOW = 4_096

_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
_GPT2: Described = {**_BYTES, "use_regex": True}
_PLAIN: Described = {**_BYTES, "use_regex": False}
_CONTRACTIONS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def _split(pattern: str) -> Described:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def _steps(*steps: Described) -> Described:
    return {"type": "Sequence", "pretokenizers": list(steps)}


_RULES: dict[str, Described] = {
    "gpt-2": _GPT2,
    "smollm": _steps({"type": "Digits", "individual_digits": True}, _GPT2),
    "qwen2": _steps(_split(rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}|{_REST}"), _PLAIN),
    "llama-bpe": _steps(_split(rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}|{_REST}"), _PLAIN),
    "deepseek-v3": _steps(
        _split(r"\p{N}{1,3}"),
        _split(r"[一-龥぀-ゟ゠-ヿ]+"),
        _split(
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        _PLAIN,
    ),
}
_WHOLE_WORDS_FIRST = frozenset({"llama-bpe"})


def read_gguf(path: Path, name: str) -> OpenModel:
    """The model in the file `path`, to be called `name`.

    Raises:
        InputError: the file is damaged, lacks its vocabulary or template, or cuts text by rules not verified here.
    """
    metadata, stamp = read_metadata(path)
    where = str(path)
    template = metadata.get("tokenizer.chat_template")
    if not isinstance(template, str):
        raise InputError(where, "holds no chat template; use a folder with tokenizer.json and chat_template.jinja")
    tokens = _listed(metadata, "tokenizer.ggml.tokens", str, where)
    tokenizer = _described(metadata, tokens, where)
    specials = {f"{which}_token": _named(metadata, which, tokens) for which in ("bos", "eos")}
    window = metadata.get(f"{metadata.get('general.architecture', '')}.context_length")
    limit = window if isinstance(window, int) and window > 0 else _WINDOW
    return OpenModel(
        name=name,
        revision=f"{metadata.get('general.name') or path.stem}/{stamp[:12]}",
        tokenizer=tokenizer,
        tokenizer_hash=stamp[:12],
        template=template,
        specials=specials,
        adds_bos=metadata.get("tokenizer.ggml.add_bos_token") is True,
        limits=Limits(window=limit, output=limit),
    )


def _described(metadata: dict[str, Value], tokens: Sequence[str], where: str) -> Described:
    """The vocabulary as a tokenizer.json would describe it."""
    model, cut = metadata.get("tokenizer.ggml.model"), metadata.get("tokenizer.ggml.pre", "")
    if model != "gpt2" or not isinstance(cut, str) or cut not in _RULES:
        raise InputError(
            where,
            f"holds a vocabulary of model {model!r}, cut by {cut!r}; verified here: gpt2 cut by "
            f"{', '.join(sorted(_RULES))}; use a folder with tokenizer.json instead",
        )
    merges = _listed(metadata, "tokenizer.ggml.merges", str, where)
    kinds = _listed(metadata, "tokenizer.ggml.token_type", int, where)
    if len(kinds) != len(tokens):
        raise InputError(where, f"has {len(tokens):,} tokens and {len(kinds):,} types of tokens; it is damaged")
    added: list[dict[str, Any]] = [
        {
            "id": number,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": kind == _CONTROL,
        }
        for number, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind in (_CONTROL, _USER_DEFINED)
    ]
    return {
        "version": "1.0",
        "added_tokens": added,
        "pre_tokenizer": _RULES[cut],
        "model": {
            "type": "BPE",
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": merges,
            "ignore_merges": cut in _WHOLE_WORDS_FIRST,
        },
    }


def _listed(metadata: dict[str, Value], key: str, kind: type[Wanted], where: str) -> list[Wanted]:
    found = metadata.get(key)
    if not isinstance(found, list) or not all(isinstance(value, kind) for value in found):
        raise InputError(where, f"has no {key}; it is damaged or holds no vocabulary")
    return [value for value in found if isinstance(value, kind)]


def _named(metadata: dict[str, Value], which: str, tokens: Sequence[str]) -> str:
    number = metadata.get(f"tokenizer.ggml.{which}_token_id")
    return tokens[number] if isinstance(number, int) and 0 <= number < len(tokens) else ""
