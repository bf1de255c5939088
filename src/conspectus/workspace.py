"""One folder, opened: the only place that builds parts and ties them together; it decides nothing about a context."""

import dataclasses
import math
import re
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from pathlib import Path

from conspectus.assembly.assemble import Assembly, assemble
from conspectus.assembly.replay import replay
from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Caller, Form, Request
from conspectus.core.item import ContextItem, Kind
from conspectus.core.manifest import ContextManifest
from conspectus.core.ports import ModelProfile, Source
from conspectus.core.spec import Budget, ContextSpec, Policies, Share
from conspectus.errors import IncompatibleSpec, InputError, MandatoryDenied, UnknownRevision
from conspectus.models.registry import DEFAULT, resolve
from conspectus.sources.demonstrations import read_demonstrations
from conspectus.sources.files.source import FileSource
from conspectus.sources.history.source import read_history
from conspectus.sources.instructions import RequestSource, read_instructions
from conspectus.sources.items import read_items
from conspectus.sources.slots import read_slots
from conspectus.storage.archive import BlobArchive
from conspectus.storage.atomic import write_out
from conspectus.storage.candidates import Candidates, keep, recall
from conspectus.storage.home import Home
from conspectus.storage.manifests import encode_manifest, read_manifest, write_manifest

HOME = Path(".conspectus")
MODEL = DEFAULT
INPUT_LIMIT = 16_000
OUTPUT_RESERVE = 4_096

_SHARE = re.compile(r"(?P<kind>[a-z_]+)=(?P<least>(?:\d+(?:\.\d+)?%)|\d+)?:(?P<most>(?:\d+(?:\.\d+)?%)|\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a caller hands in for one assembly; every path is read at the moment of the call.

    Attributes:
        question: what is asked.
        folders: folders, or single files, to look for evidence in.
        whole: files in them that enter whole or not at all; relative to the first folder that has them.
        history: a conversation as JSONL.
        items: your own items as JSONL.
        instructions: approved instruction files; only they may change policy.
        examples: labelled demonstrations as JSONL.
        slots: required evidence as JSONL.
        model: name of a profile, or a folder that holds a model's tokenizer and template.
        form: form of the payload.
        input_limit: tokens the payload may have.
        output_reserve: tokens kept for the answer; None means 4,096, but at most a quarter of the model's window.
        loop_reserve: tokens kept for the next tool call and its result.
        shares: parts of the input limit, each a `Share` in tokens or a text such as `evidence=10%:60%`.
        policies: the policies of the assembly.
    """

    question: str
    folders: tuple[Path, ...] = ()
    whole: tuple[str, ...] = ()
    history: Path | None = None
    items: Path | None = None
    instructions: tuple[Path, ...] = ()
    examples: Path | None = None
    slots: Path | None = None
    model: str = MODEL
    form: Form = Form.TEXT
    input_limit: int = INPUT_LIMIT
    output_reserve: int | None = None
    loop_reserve: int = 0
    shares: tuple[Share | str, ...] = ()
    policies: Policies = dataclasses.field(default_factory=Policies)

    def spec(self, profile: ModelProfile) -> ContextSpec:
        """The spec of this call for `profile`.

        Raises:
            SpecError: the limits are impossible, or a share is malformed or of an unknown kind.
        """
        window = profile.limits.window
        reserve = min(OUTPUT_RESERVE, window // 4) if self.output_reserve is None else self.output_reserve
        budget = Budget(
            window=window, input_limit=self.input_limit, output_reserve=reserve, loop_reserve=self.loop_reserve
        )
        budget.check()
        shares = tuple(read_share(share, budget.allowed) if isinstance(share, str) else share for share in self.shares)
        unbound = ContextSpec(
            model="",
            model_revision="",
            tokenizer_revision="",
            template_revision="",
            budget=dataclasses.replace(budget, shares=shares),
            policies=self.policies,
        )
        return spec_for(profile, unbound)


def read_share(text: str, limit: int) -> Share:
    """The share `KIND=MIN:MAX` says: each side in tokens, in % of `limit` tokens, or empty for no bound.

    Raises:
        UnknownRevision: there is no such kind.
        IncompatibleSpec: the text has another shape.
    """
    found = _SHARE.fullmatch(text)
    if found is None:
        raise IncompatibleSpec("share", f"{text!r} is not KIND=MIN:MAX, such as evidence=10%:60% or history=:2000")
    kinds = {kind.value: kind for kind in Kind}
    if found["kind"] not in kinds:
        raise UnknownRevision("kind", found["kind"], tuple(kinds))
    return Share(
        kind=kinds[found["kind"]],
        minimum=_amount(found["least"] or "0", limit),
        maximum=_amount(found["most"], limit) if found["most"] else None,
    )


def _amount(text: str, limit: int) -> int:
    return math.floor(Fraction(text[:-1]) * limit / 100) if text.endswith("%") else int(text)


class Workspace:
    """A state folder and everything that is built around it."""

    def __init__(self, home: Home) -> None:
        """Take the folder as it is; `open` is the usual way in."""
        self._home = home

    @classmethod
    def open(cls, home: Path | None = None) -> "Workspace":
        """The workspace whose state is in `home`, or in `.conspectus` of the current folder; nothing is made yet.

        Raises:
            Corrupt: the state is damaged or of a newer version.
            InputError: the path is taken by something that is no folder.
            StorageError: it cannot be read.
        """
        return cls(Home(home or HOME))

    def assemble(self, brief: Brief, caller: Caller, now: datetime) -> Assembly:
        """Ask every source of `brief`, make the payload, and keep candidates and manifest; on failure nothing is kept.

        Raises:
            SpecError: an unknown profile, impossible limits or shares.
            InputError: the question is empty, or a file is wrong.
            AssemblyError: no payload can keep every promise.
            StorageError: the state could not be written.
            ModelError: the profile cannot count.
        """
        profile = resolve(brief.model, brief.form, output=brief.output_reserve or OUTPUT_RESERVE)
        sources, policies = self._sources(brief, caller)
        spec = dataclasses.replace(brief, policies=policies).spec(profile)
        request = Request(question=brief.question, slots=read_slots(brief.slots) if brief.slots else ())
        assembly = assemble(sources, request, caller, spec, profile, now)
        archive = BlobArchive(self._home, spec.policies.retention, now)
        kept = keep(archive, caller.tenant, assembly.candidates, request)
        manifest = dataclasses.replace(assembly.manifest, candidates=kept)
        write_manifest(self._home, manifest)
        return dataclasses.replace(assembly, manifest=manifest)

    def replay(self, manifest: ContextManifest, caller: Caller, now: datetime) -> Assembly:
        """The payload of `manifest` once more, byte for byte, for a caller who may still read all of it.

        Raises:
            MandatoryDenied: `caller` may not.
            ReplayError: the archive lacks something, or another payload came out.
            UnknownRevision: the profile is not here, or not in the revision of that call.
        """
        kept = self._recall(manifest, caller, now)
        profile = resolve(manifest.model, Form(manifest.format), output=manifest.spec.budget.output_reserve)
        return replay(manifest, kept.items, kept.request, profile, caller)

    def candidates(self, manifest: ContextManifest, caller: Caller, now: datetime) -> tuple[ContextItem, ...]:
        """The archived candidates of `manifest` that `caller` may read.

        Raises:
            MandatoryDenied: `caller` is of another tenant.
            BlobMissing: the archive lacks one.
        """
        items = self._recall(manifest, caller, now).items
        return tuple(item for item in items if not item.readers or not item.readers.isdisjoint(caller.names))

    def manifest(self, reference: str) -> ContextManifest:
        """The manifest a path or a request id means; the id may be shortened to six characters.

        Raises:
            InputError: there is none, more than one, or the file is no manifest.
            Corrupt: it is of a newer schema, or damaged and part of the state.
        """
        return read_manifest(self._home, reference)

    def keep(self, manifest: ContextManifest) -> None:
        """Write a manifest under its request id, in the place of the one that is there."""
        write_manifest(self._home, manifest)

    def export(self, manifest: ContextManifest, path: Path) -> None:
        """Write a manifest as JSON where a person wants it."""
        write_out(path, encode_manifest(manifest))

    def _recall(self, manifest: ContextManifest, caller: Caller, now: datetime) -> Candidates:
        if caller.tenant != manifest.tenant:
            raise MandatoryDenied("the archive")
        archive = BlobArchive(self._home, manifest.spec.policies.retention, now)
        return recall(archive, manifest.tenant, manifest.candidates, now)

    def _sources(self, brief: Brief, caller: Caller) -> tuple[list[Source], Policies]:
        """What the brief names, opened, and the policies with the revisions of its instructions and examples."""
        instructions = read_instructions(brief.instructions)
        policies = dataclasses.replace(brief.policies, instruction=instructions.revision)
        sources: list[Source] = [RequestSource(), instructions]
        if brief.examples:
            examples = read_demonstrations(brief.examples)
            policies = dataclasses.replace(policies, demonstration=examples.revision)
            sources.append(examples)
        sources.extend(self._folders(brief, caller))
        if brief.history:
            sources.append(read_history(brief.history))
        if brief.items:
            sources.append(read_items(brief.items, caller.tenant))
        return sources, policies

    def _folders(self, brief: Brief, caller: Caller) -> list[Source]:
        """One source a folder; the second and later ones carry their name in the ids, so that no two collide."""
        whole = {path: self._holder(brief, path) for path in brief.whole}
        names: set[str] = set()
        sources: list[Source] = []
        for number, folder in enumerate(brief.folders):
            label = "" if number == 0 else folder.resolve().name
            while label in names:
                label += "+"
            names.add(label)
            inside = [path for path, holder in whole.items() if holder == number]
            sources.append(FileSource(folder, tenant=caller.tenant, label=label, whole=inside))
        return sources

    def _holder(self, brief: Brief, path: str) -> int:
        """Number of the first folder that has the file, or of the first folder, whose source says what is wrong.

        Raises:
            InputError: there is no folder the path could be in.
        """
        if not brief.folders:
            raise InputError(path, "is to be kept whole, but no folder is named; add --in FOLDER")
        return next((n for n, folder in enumerate(brief.folders) if (folder / path).exists()), 0)
