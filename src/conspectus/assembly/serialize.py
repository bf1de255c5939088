"""The payload itself: blocks in their sections, as one text or as turns, and its exact count."""

from collections.abc import Sequence

from conspectus.assembly.layout import (
    SECTIONS,
    SYSTEM_SECTIONS,
    Section,
    closing,
    missing,
    opening,
    trust_rule,
)
from conspectus.assembly.table import Arrangement, Draft, Rendition
from conspectus.core.call import Form, Payload
from conspectus.core.canonical import text_hash
from conspectus.core.message import Message, Prompt, Role, TextPart
from conspectus.core.ports import ModelProfile


def serialize(
    arrangement: Arrangement, renditions: Sequence[Rendition], absent: Sequence[str], profile: ModelProfile
) -> Draft:
    """Write the arranged items in the profile's form and count the whole; `absent` names the unfilled slots."""
    blocks = _blocks(arrangement, renditions, absent)
    prompt = _text(blocks) if profile.form is Form.TEXT else _chat(arrangement, renditions, blocks)
    return Draft(prompt=prompt, tokens=profile.count(prompt), sections=frozenset(blocks))


def seal(draft: Draft, profile: ModelProfile) -> Payload:
    """The admitted draft as it leaves."""
    body = profile.encode(draft.prompt)
    return Payload(form=profile.form, body=body, prompt=draft.prompt, tokens=draft.tokens, payload_hash=text_hash(body))


def _blocks(
    arrangement: Arrangement, renditions: Sequence[Rendition], absent: Sequence[str]
) -> dict[Section, list[str]]:
    """The blocks of every section that has any, in the order of the skeleton, without their headings."""
    held = {section: [renditions[index].block for index in indices] for section, indices in arrangement}
    held = {section: [block for block in blocks if block] for section, blocks in held.items()}
    if absent:
        held.setdefault(Section.EVIDENCE, []).extend(missing(name) for name in absent)
    held.setdefault(Section.ROLE, [])
    return {section: held[section] for section in SECTIONS if held.get(section) or section is Section.ROLE}


def _written(blocks: dict[Section, list[str]], sections: Sequence[Section]) -> str:
    return "".join(opening(section) + "".join(blocks[section]) for section in sections)


def _text(blocks: dict[Section, list[str]]) -> Prompt:
    system = [section for section in blocks if section in SYSTEM_SECTIONS]
    rest = [section for section in blocks if section not in SYSTEM_SECTIONS]
    return Prompt(text=f"{_written(blocks, system)}{trust_rule()}{_written(blocks, rest)}{closing()}\n")


def _chat(arrangement: Arrangement, renditions: Sequence[Rendition], blocks: dict[Section, list[str]]) -> Prompt:
    system = [section for section in blocks if section in SYSTEM_SECTIONS]
    rest = [section for section in blocks if section not in SYSTEM_SECTIONS]
    placed = [renditions[index] for _, indices in arrangement for index in indices]
    return Prompt(
        messages=(
            _turn(Role.SYSTEM, _written(blocks, system) + trust_rule().rstrip("\n")),
            *(turn for rendition in placed for turn in rendition.turns),
            _turn(Role.USER, _written(blocks, rest) + closing()),
        ),
        tools=tuple(rendition.tool for rendition in placed if rendition.tool),
    )


def _turn(role: Role, text: str) -> Message:
    return Message(role=role, parts=(TextPart(text=text),))
