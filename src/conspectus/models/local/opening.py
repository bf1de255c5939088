"""Ties what was read of an open model into a profile; the only module here that others load."""

from datetime import datetime
from pathlib import Path

from conspectus.core.message import Prompt
from conspectus.models.counting import BlockCounter
from conspectus.models.local.adapt import MARKS
from conspectus.models.local.chat_framing import ChatFraming
from conspectus.models.local.folder import read_folder
from conspectus.models.local.gguf_model import read_gguf
from conspectus.models.local.model import OpenModel
from conspectus.models.local.probe import find_markers, find_needs
from conspectus.models.local.template import ChatTemplate
from conspectus.models.local.vocabulary import Vocabulary, added_tokens
from conspectus.models.profile import ModelFacts, Profile, Wire

AROUND = ("</data>\n\n", "<")
"""What stands around a block in a payload; what is read of its ends can depend on it."""


class OpenProfile(Profile):
    """The exact profile of an open model; beside what every profile does, it renders and gives ids."""

    def __init__(self, facts: ModelFacts, framing: ChatFraming, counter: BlockCounter, wire: Wire) -> None:
        """Tie the parts together."""
        super().__init__(facts, counter, framing, wire)
        self._chat = framing

    def render(self, prompt: Prompt) -> str:
        """The text the model's server makes of a chat.

        Raises:
            IncompatibleSpec: the template cannot write the conversation.
        """
        return self._chat.render(prompt)

    def encode_ids(self, prompt: Prompt) -> list[int]:
        """Token ids of a chat, scaffold and data encoded apart: no control id comes from data, whatever it holds.

        Raises:
            IncompatibleSpec: the template cannot write the conversation.
        """
        return self._chat.encode_ids(prompt)


def open_profile(path: Path, name: str, wire: Wire, moment: datetime | None = None) -> OpenProfile:
    """The profile of the model in a folder or a `.gguf` file.

    Raises:
        InputError: a file is missing, damaged, or of a kind that is not verified here.
        IncompatibleSpec: the chat template writes the date and no moment was given.
    """
    model = read_gguf(path, name) if path.suffix == ".gguf" else read_folder(path)
    return profile_of(model, wire, path, moment)


def profile_of(model: OpenModel, wire: Wire, path: Path, moment: datetime | None = None) -> OpenProfile:
    """The profile of a model that has been read."""
    template = ChatTemplate(model.template, model.specials, moment, str(path))
    needs = find_needs(template)
    added = added_tokens(model.tokenizer)
    controls = [token for token, special in added.items() if _is_control(token, special, model.template)]
    markers = find_markers(template, needs, controls)
    ours = (mark for name in needs.adaptations for mark in MARKS.get(name, ()))
    vocabulary = Vocabulary(model.tokenizer, model.tokenizer_hash, controls, str(path))
    bos = model.specials.get("bos_token", "") if model.adds_bos else ""
    facts = ModelFacts(
        name=model.name,
        model=model.name,
        revision=model.revision,
        limits=model.limits,
        chat_margin=0.0,
        text_margin=0.0,
        control_strings=tuple(sorted({*controls, *markers, *ours})),
    )
    framing = ChatFraming(template, needs, vocabulary, bos)
    return OpenProfile(facts, framing, BlockCounter(vocabulary, AROUND), wire)


def _is_control(token: str, special: bool, template: str) -> bool:
    """Special, written by the template, or of the look of a control token; never blank or a single character."""
    looks = token.startswith(("<|", "<｜")) and token.endswith(("|>", "｜>"))
    return _breakable(token) and (special or token in template or looks)


def _breakable(text: str) -> bool:
    return len(text) > 1 and not text.isspace()
