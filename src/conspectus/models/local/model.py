"""OpenModel: what was read of an open model, whatever kind of file it was in; it reads nothing itself."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from conspectus.core.ports import Limits

Described: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenModel:
    """An open model, read from a folder or a GGUF file.

    Attributes:
        name: what a person asks for it by.
        revision: name and hash of the files it was read from.
        tokenizer: the tokenizer in the shape of a `tokenizer.json`, decoded.
        tokenizer_hash: of its bytes, shortened.
        template: source of the chat template.
        specials: the strings the template may ask for by name, such as `bos_token`.
        adds_bos: whether the model's server puts `bos_token` in front where the template has not.
        limits: tokens.
    """

    name: str
    revision: str
    tokenizer: Described
    tokenizer_hash: str
    template: str
    specials: dict[str, str]
    adds_bos: bool
    limits: Limits
