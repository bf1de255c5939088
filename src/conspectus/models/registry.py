"""Every profile by the name a person asks for; an unknown name is an error, never a default."""

from dataclasses import dataclass, replace
from pathlib import Path

from conspectus.core.call import Form
from conspectus.core.ports import Limits, ModelProfile
from conspectus.errors import ModelUnavailable, UnknownRevision
from conspectus.models.closed import ClosedProfile, Rules
from conspectus.models.encodings import load_encoding
from conspectus.models.engines import load_engine

DEFAULT = "o200k"
MODEL_FILES = ("tokenizer.json",)

_OPENAI_CONTROLS = (
    "<|endoftext|>", "<|endofprompt|>", "<|im_start|>", "<|im_end|>", "<|im_sep|>", "<|start|>", "<|end|>",
    "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>", "<|fim_prefix|>",
    "<|fim_middle|>", "<|fim_suffix|>",
)  # fmt: skip
_CLAUDE_CONTROLS = ("\n\nHuman:", "\n\nAssistant:", "<|endoftext|>")
_O200K = Rules(
    name="o200k",
    model="gpt-4o",
    revision="openai-2026-11",
    limits=Limits(window=128_000, output=16_384),
    own_vocabulary=True,
    margin=0.05,
    controls=_OPENAI_CONTROLS,
)
_CL100K = replace(_O200K, name="cl100k", model="gpt-4-turbo", limits=Limits(window=128_000, output=4_096))
_CLAUDE = Rules(
    name="claude",
    model="claude-sonnet-4-5",
    revision="anthropic-2026-11",
    limits=Limits(window=200_000, output=64_000),
    own_vocabulary=False,
    margin=0.5,
    controls=_CLAUDE_CONTROLS,
)
_OPENAI = {
    "gpt-4o": (_O200K, Limits(window=128_000, output=16_384)),
    "gpt-4o-mini": (_O200K, Limits(window=128_000, output=16_384)),
    "gpt-4.1": (_O200K, Limits(window=1_047_576, output=32_768)),
    "gpt-4.1-mini": (_O200K, Limits(window=1_047_576, output=32_768)),
    "gpt-5": (_O200K, Limits(window=400_000, output=128_000)),
    "o3": (_O200K, Limits(window=200_000, output=100_000)),
    "o4-mini": (_O200K, Limits(window=200_000, output=100_000)),
    "gpt-4-turbo": (_CL100K, Limits(window=128_000, output=4_096)),
    "gpt-4": (_CL100K, Limits(window=8_192, output=4_096)),
    "gpt-3.5-turbo": (_CL100K, Limits(window=16_385, output=4_096)),
}
_ANTHROPIC = ("claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One row of what can be asked for.

    Attributes:
        exactness: of counts in a chat form.
        missing: what has to be installed first; empty when the profile can be used.
    """

    name: str
    exactness: str
    margin: float
    limits: Limits
    revision: str
    missing: str = ""


def _rules() -> dict[str, Rules]:
    closed = {rules.name: rules for rules in (_O200K, _CL100K, _CLAUDE)}
    for model, (rules, limits) in _OPENAI.items():
        closed[f"openai/{model}"] = replace(rules, name=f"openai/{model}", model=model, limits=limits)
    for model in _ANTHROPIC:
        closed[f"anthropic/{model}"] = replace(_CLAUDE, name=f"anthropic/{model}", model=model)
    return closed


def resolve(name: str, form: Form, *, output: int = 0) -> ModelProfile:
    """The profile called `name`, bound to `form`; `output` tokens are asked for in the body.

    `name` is one of `list_profiles()`, or the path of a folder with `tokenizer.json` and a chat template, or of a GGUF
    file.

    Raises:
        UnknownRevision: there is no such profile and no such path.
        ModelUnavailable: a part the profile needs is not installed.
        InputError: the folder or file is no model we can count for.
    """
    rules = _rules().get(name)
    if rules is not None:
        vocabulary = load_encoding("cl100k" if rules.model in _CL100K_MODELS else "o200k")
        return ClosedProfile(rules, vocabulary, form, output)
    if name == "smollm2":
        return _open("smollm2", form, output)
    if _is_model(Path(name)):
        return _open(name, form, output)
    raise UnknownRevision("profile", name, (*_rules(), "smollm2", "a folder with tokenizer.json", "a .gguf file"))


_CL100K_MODELS = frozenset(model for model, (rules, _) in _OPENAI.items() if rules is _CL100K) | {"gpt-4-turbo"}


def _is_model(path: Path) -> bool:
    return path.suffix == ".gguf" or any((path / file).is_file() for file in MODEL_FILES)


def _open(name: str, form: Form, output: int) -> ModelProfile:
    load_engine("tokenizers", "local")
    load_engine("jinja2", "local")
    local = load_engine("conspectus.models.local.profile", "local")
    profile: ModelProfile = local.open_profile(name, form, output)
    return profile


def list_profiles() -> tuple[Listing, ...]:
    """Every profile that has a name, and what is missing for it."""
    closed = [
        Listing(
            name=rules.name,
            exactness="estimated",
            margin=rules.margin,
            limits=rules.limits,
            revision=rules.revision,
        )
        for rules in _rules().values()
    ]
    try:
        local = _open("smollm2", Form.OPENAI, 0)
        row = Listing(name="smollm2", exactness="exact", margin=0.0, limits=local.limits, revision=local.model_revision)
    except ModelUnavailable as error:
        row = Listing(
            name="smollm2",
            exactness="exact",
            margin=0.0,
            limits=Limits(window=8_192, output=8_192),
            revision="",
            missing=str(error),
        )
    return (*closed, row)
