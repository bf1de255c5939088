"""Every profile by the name a person asks for; an unknown name is an error, never a default."""

import difflib
import os
import stat
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

from conspectus.core.call import Form
from conspectus.core.ports import Limits, ModelProfile
from conspectus.errors import InputError, ModelUnavailable, UnknownRevision
from conspectus.models import openai
from conspectus.models.anthropic import anthropic_rules
from conspectus.models.catalogue import (
    ANTHROPIC,
    AS_OF,
    CLAUDE_CONTROLS,
    OPENAI,
    OPENAI_CONTROLS,
    AnthropicModel,
    OpenAIModel,
    undated,
)
from conspectus.models.counting import BlockCounter
from conspectus.models.encodings import load_encoding
from conspectus.models.engines import load_part
from conspectus.models.estimate import EstimatingTokenizer
from conspectus.models.framing import RuledFraming
from conspectus.models.openai import openai_rules
from conspectus.models.profile import ModelFacts, Profile, RemoteCount, Wire
from conspectus.models.smollm2 import packaged_model

DEFAULT = "o200k"
SMALL = "smollm2"

_TOKENIZER = "tokenizer.json"
_GGUF = ".gguf"
_PROVIDERS = ("openai", "anthropic")
_ALL = "`conspectus models` lists every name; the folder or .gguf file of a model is one, too"
_LIKENESS = 0.6

_SHORT_NAMES = {"o200k": "openai/gpt-4o", "cl100k": "openai/gpt-4-turbo", "claude": "anthropic/claude-sonnet-4-5"}
_PACKAGES = ("jinja2", "tokenizers", "markupsafe")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a profile may be given beside its name and form.

    Attributes:
        output: tokens the answer may have, asked for in the body; 0 leaves it to the provider where it can.
        moment: the time of the call, for chat templates that write the date.
        remote: Anthropic's own count of a body (`models.count_endpoint`), which makes its profiles exact.
    """

    output: int = 0
    moment: datetime | None = None
    remote: RemoteCount | None = None


def resolve(
    name: str,
    form: Form,
    *,
    output: int = 0,
    moment: datetime | None = None,
    remote: RemoteCount | None = None,
) -> ModelProfile:
    """The profile called `name`, bound to `form`.

    Args:
        name: one of `list_profiles()`, or the path of a folder with `tokenizer.json` and a chat template, or of a
            `.gguf` file.
        form: form of the bodies it writes.
        output: tokens the answer may have, asked for in the body; 0 leaves it to the provider where it can.
        moment: the time of the call, for chat templates that write the date.
        remote: Anthropic's own count of a body (`models.count_endpoint`), which makes its profiles exact.

    Raises:
        UnknownRevision: there is no such profile and no such path.
        ModelUnavailable: a part the profile needs is not installed.
        InputError: the folder or file is no model we can count for.
        IncompatibleSpec: the model's chat template writes the date and no moment was given.
    """
    setting = Setting(output=output, moment=moment, remote=remote)
    if name == SMALL:
        return _open(packaged_model(), SMALL, form, setting)
    provider, _, model = _SHORT_NAMES.get(name, name).partition("/")
    if provider == "openai" and (openai_facts := OPENAI.get(undated(model))):
        return _openai(name, model, openai_facts, form, setting)
    if provider == "anthropic" and (anthropic_facts := ANTHROPIC.get(undated(model))):
        return _anthropic(name, model, anthropic_facts, form, setting)
    if fault := _path_fault(Path(name)) if is_path(name) else _name_fault(name):
        raise UnknownRevision("profile", name, _nearest(name), hint=fault)
    return _open(Path(name), name, form, setting)


def is_path(name: str) -> bool:
    """Whether a name that no profile has is meant as a path: something is there, or it is written like one."""
    provider, separator, _ = name.partition(os.sep)
    written = name.endswith(_GGUF) or (separator and provider not in _PROVIDERS)
    return bool(name) and bool(written or _status(Path(name)))


def _path_fault(path: Path) -> str:
    """What keeps a path from being a model that can be opened, or nothing."""
    status = _status(path)
    if status is None:
        return f"no such {'file' if path.suffix == _GGUF else 'folder'}; {_ALL}"
    if stat.S_ISDIR(status.st_mode):
        if _status(path / _TOKENIZER) is not None:
            return ""
        return f"the folder has no {_TOKENIZER}; name one that has, or a {_GGUF} file"
    return "" if path.suffix == _GGUF else f"is no {_GGUF} file; name one, or a folder with {_TOKENIZER}"


def _name_fault(name: str) -> str:
    nearest = ", ".join(_nearest(name))
    return f"the nearest are {nearest}; {_ALL}" if name else f"is empty; {_ALL}"


def _nearest(name: str) -> tuple[str, ...]:
    """The names most like `name`, whether or not it says the provider; the short ones where none is."""
    known = {alias: full for full in _names() for alias in (full, full.partition("/")[2] or full)}
    found = difflib.get_close_matches(name.casefold(), known, n=4, cutoff=_LIKENESS)
    return tuple(dict.fromkeys(known[alias] for alias in found)) or (*_SHORT_NAMES, SMALL)


def _status(path: Path) -> os.stat_result | None:
    """What the path leads to, or None where there is no such thing."""
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _names() -> tuple[str, ...]:
    full = (*(f"openai/{model}" for model in OPENAI), *(f"anthropic/{model}" for model in ANTHROPIC))
    return (*_SHORT_NAMES, SMALL, *full)


def _openai(name: str, model: str, facts: OpenAIModel, form: Form, setting: Setting) -> Profile:
    counter = BlockCounter(load_encoding(facts.encoding))
    described = ModelFacts(
        name=name,
        model=model,
        revision=f"{model}@{AS_OF}",
        limits=facts.limits,
        chat_margin=openai.MARGIN,
        text_margin=0.0,
        control_strings=OPENAI_CONTROLS,
    )
    return Profile(described, counter, RuledFraming(openai_rules(facts.image), counter), _wire(form, setting))


def _anthropic(name: str, model: str, facts: AnthropicModel, form: Form, setting: Setting) -> Profile:
    counter = BlockCounter(EstimatingTokenizer(load_encoding("o200k_base"), facts.weights))
    described = ModelFacts(
        name=name,
        model=model,
        revision=f"{model}@{AS_OF}",
        limits=facts.limits,
        chat_margin=facts.weights.margin,
        text_margin=facts.weights.margin,
        control_strings=CLAUDE_CONTROLS,
    )
    wire = Wire(form=form, output=setting.output, remote=setting.remote)
    return Profile(described, counter, RuledFraming(anthropic_rules(facts.image), counter), wire)


def _wire(form: Form, setting: Setting) -> Wire:
    return Wire(form=form, output=setting.output)


def _open(path: Path, name: str, form: Form, setting: Setting) -> ModelProfile:
    part = load_part("conspectus.models.local.opening", extra="local", packages=_PACKAGES)
    opened = part.open_profile(path, name, _wire(form, setting), moment=setting.moment)
    return cast("ModelProfile", opened)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One row of what can be asked for.

    Attributes:
        exactness: of counts in a chat form.
        margin: largest share by which they may be wrong.
        missing: what has to be installed first; empty when the profile can be used.
    """

    name: str
    exactness: str
    margin: float
    limits: Limits
    revision: str
    missing: str = ""


def list_profiles() -> tuple[Listing, ...]:
    """Every profile that has a name, and what is missing for it."""
    return tuple(_listing(name) for name in _names())


def _listing(name: str) -> Listing:
    try:
        profile = resolve(name, Form.OPENAI)
    except (ModelUnavailable, InputError) as error:
        limits = Limits(window=8_192, output=8_192)  # SmolLM2's, the only one that may be missing
        return Listing(name=name, exactness="exact", margin=0.0, limits=limits, revision="", missing=str(error))
    return Listing(
        name=name,
        exactness=profile.exactness.value,
        margin=profile.margin,
        limits=profile.limits,
        revision=profile.model_revision,
    )
