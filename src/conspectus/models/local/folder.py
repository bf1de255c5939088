"""An open model from the folder it is published in: tokenizer.json, chat template, limits; nothing is downloaded."""

from pathlib import Path
from typing import Any, cast

import msgspec

from conspectus.core.canonical import digest
from conspectus.core.ports import Limits
from conspectus.errors import InputError
from conspectus.models.local.model import Described, OpenModel

TOKENIZER = "tokenizer.json"
_TEMPLATE = "chat_template.jinja"
_NAMED_TEMPLATE = "chat_template.json"
_WINDOW = 4_096
_LARGEST_WINDOW = 1 << 24
_SPECIALS = ("bos_token", "eos_token", "pad_token", "unk_token", "sep_token", "cls_token", "mask_token")


def read_folder(folder: Path) -> OpenModel:
    """The model in `folder`.

    Raises:
        InputError: a file that is needed is missing, unreadable or no JSON.
    """
    data = _bytes(folder / TOKENIZER)
    config = _json(folder / "tokenizer_config.json")
    template = _template(folder, config)
    stamp = digest(data)[:12]
    return OpenModel(
        name=str(folder),
        revision=f"{folder.resolve().name}/{digest(data + template.encode())[:12]}",
        tokenizer=_decoded(folder / TOKENIZER, data),
        tokenizer_hash=stamp,
        template=template,
        specials={name: _content(config[name]) for name in _SPECIALS if config.get(name) is not None},
        adds_bos=False,
        limits=_limits(folder, config),
    )


def _template(folder: Path, config: Described) -> str:
    """The chat template, wherever the folder keeps it; of several, the one made for tools, else the default."""
    alone = folder / _TEMPLATE
    if alone.is_file():
        return _text(alone)
    found = config.get("chat_template") or _json(folder / _NAMED_TEMPLATE).get("chat_template")
    if isinstance(found, list):
        entries = map(_object, cast("list[object]", found))
        found = {str(entry.get("name")): entry.get("template") for entry in entries}
    if isinstance(found, dict):
        named = _object(cast("object", found))
        found = named.get("tool_use") or named.get("default")
    if not isinstance(found, str):
        raise InputError(
            str(folder), f"holds no chat template; add {_TEMPLATE}, or the key chat_template in tokenizer_config.json"
        )
    return found


def _limits(folder: Path, config: Described) -> Limits:
    """The window of config.json (or of its text part), else the tokenizer's; generation_config may bound the output."""
    described = _json(folder / "config.json")
    candidates: tuple[object, ...] = (
        described.get("max_position_embeddings"),
        _object(described.get("text_config")).get("max_position_embeddings"),
        config.get("model_max_length"),
    )
    window = next((int(c) for c in candidates if isinstance(c, int | float) and 0 < c <= _LARGEST_WINDOW), _WINDOW)
    output = _json(folder / "generation_config.json").get("max_new_tokens")
    bounded = isinstance(output, int) and 0 < output < window
    return Limits(window=window, output=output if bounded and isinstance(output, int) else window)


def _content(token: object) -> str:
    return token if isinstance(token, str) else str(_object(token).get("content", ""))


def _object(value: object) -> Described:
    return cast("Described", value) if isinstance(value, dict) else {}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or error}") from error


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"is not UTF-8: {error}") from error


def _json(path: Path) -> Described:
    return _decoded(path, _bytes(path)) if path.is_file() else {}


def _decoded(path: Path, data: bytes) -> Described:
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise InputError(str(path), f"is no JSON object: {error}") from error
