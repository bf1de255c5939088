"""Approved instructions and the request itself: the mandatory items; nothing read from a workspace is one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from conspectus.core.call import Caller, Request
from conspectus.core.canonical import canonical_hash, text_hash
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import Gathered
from conspectus.core.message import Role
from conspectus.errors import InputError
from conspectus.sources.reading import read_text
from conspectus.text.graphemes import well_formed

_LARGEST = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One approved text.

    Attributes:
        name: part of its id, `instruction/NAME`.
        authority: APPLICATION or PLATFORM.
        revision: which state of it was approved; the hash of the text where none is given.
    """

    name: str
    text: str
    authority: Authority = Authority.APPLICATION
    revision: str = ""
    uri: str = ""


class InstructionSource:
    """A set of approved instructions, offered whole to every call.

    Attributes:
        revision: hash of the set, part of the spec's instruction policy.

    Raises:
        InputError: one is empty, has less authority than the application, or has the name of another.
    """

    name = "instructions"

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        names: set[str] = set()
        for instruction in instructions:
            if instruction.name in names:
                raise InputError(instruction.name, "is the name of two instructions; give each its own", field="name")
            names.add(instruction.name)
            if instruction.authority < Authority.APPLICATION:
                message = "an instruction is of the application or the platform"
                raise InputError(instruction.name, message, field="authority")
            if not instruction.text.strip():
                raise InputError(instruction.name, "is empty; an instruction says something")
        self._instructions = tuple(instructions)
        self.revision = f"instruction-1/{canonical_hash(self._instructions)[:16]}"

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:  # noqa: ARG002 - for every call alike
        """One mandatory item per instruction."""
        return Gathered(items=tuple(_item(each, number, caller) for number, each in enumerate(self._instructions)))


def _item(instruction: Instruction, number: int, caller: Caller) -> ContextItem:
    return ContextItem(
        item_id=f"instruction/{instruction.name}",
        kind=Kind.INSTRUCTION,
        role=Role.SYSTEM,
        content=instruction.text,
        source_uri=instruction.uri or f"instruction:{instruction.name}",
        source_version=instruction.revision or text_hash(instruction.text)[:16],
        authority=instruction.authority,
        trust=Trust.TRUSTED,
        tenant=caller.tenant,
        mandatory=True,
        stable=True,
        signals=(("order", float(number)),),
    )


def read_instructions(paths: Sequence[Path]) -> InstructionSource:
    """The files as one approved set, in the given order, each with the authority of the application.

    Raises:
        InputError: a file cannot be read, is empty, or two have the same name.
    """
    names: set[str] = set()
    instructions: list[Instruction] = []
    for place, path in enumerate(paths):
        name = path.name if path.name not in names else path.as_posix().lstrip("/")
        if path in paths[:place] or name in names:
            raise InputError(str(path), "is given twice")
        names.add(name)
        text = read_text(path, _LARGEST)
        if not text.strip():
            raise InputError(str(path), "is empty; an instruction says something")
        instructions.append(Instruction(name=name, text=text.rstrip("\r\n")))
    return InstructionSource(instructions)


class RequestSource:
    """The question of this call as its mandatory item."""

    name = "request"

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:  # noqa: ARG002 - a request is timeless
        """The request.

        Raises:
            InputError: the question is empty.
        """
        return Gathered(items=(request_item(request.question, caller.tenant),))


def request_item(question: str, tenant: str) -> ContextItem:
    """The item of a question.

    Raises:
        InputError: the question is empty.
    """
    if well_formed(question) != question:
        raise InputError("QUESTION", "holds bytes that are not UTF-8")
    if not question.strip():
        raise InputError("QUESTION", "is empty; ask something")
    return ContextItem(
        item_id="request",
        kind=Kind.REQUEST,
        content=question,
        source_uri="request:",
        source_version=text_hash(question)[:16],
        authority=Authority.USER,
        trust=Trust.TRUSTED,
        tenant=tenant,
        mandatory=True,
    )
