"""Workspace: a state folder and everything that is built around it for one call after the other."""

import dataclasses
import os
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Self

from conspectus.assembly.assemble import Assembly, assemble
from conspectus.assembly.replay import replay
from conspectus.core.call import Caller, Form, Request
from conspectus.core.item import ContextItem
from conspectus.core.manifest import ContextManifest
from conspectus.core.ports import ModelProfile, Source
from conspectus.core.spec import Policies
from conspectus.errors import MandatoryDenied
from conspectus.models.registry import is_path, resolve
from conspectus.sources.demonstrations import read_demonstrations
from conspectus.sources.history.source import read_history
from conspectus.sources.instructions import RequestSource, read_instructions
from conspectus.sources.items import read_items
from conspectus.sources.slots import read_slots
from conspectus.storage.archive import BlobArchive
from conspectus.storage.atomic import write_out
from conspectus.storage.cache import KeyValueCache
from conspectus.storage.candidates import Candidates, keep, recall
from conspectus.storage.home import Home
from conspectus.storage.manifests import encode_manifest, find_manifest, read_manifest, write_manifest
from conspectus.workspace.brief import OUTPUT_RESERVE, Brief
from conspectus.workspace.folders import open_folders
from conspectus.workspace.memory import Memory
from conspectus.workspace.remembered import Remembered

HOME = Path(".conspectus")


class Workspace:
    """A state folder and everything that is built around it."""

    def __init__(self, home: Home) -> None:
        """Take the folder as it is; `open` is the usual way in."""
        self._home = home
        self._cache = KeyValueCache(home)

    @classmethod
    def open(cls, home: Path | None = None) -> "Workspace":
        """The workspace whose state is in `home`, or in `.conspectus` of the current folder; nothing is made yet.

        Raises:
            Corrupt: the state is damaged or of a newer version.
            StorageError: it cannot be read, or is taken by something that is no folder.
        """
        return cls(Home(home or HOME))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the state folder go; the next call opens it again."""
        self._cache.close()

    @property
    def reports(self) -> tuple[str, ...]:
        """What went wrong with the cache; nothing of it touched a payload."""
        return self._cache.reports

    def assemble(self, brief: Brief, caller: Caller, now: datetime) -> Assembly:
        """Ask every source of `brief`, make the payload, and keep candidates and manifest; on failure nothing is kept.

        Raises:
            SpecError: an unknown profile, impossible limits or shares.
            InputError: the question is empty, or a file is wrong.
            AssemblyError: no payload can keep every promise.
            StorageError: the state could not be written.
            ModelError: the profile cannot count.
        """
        memory = Memory(self._cache)
        profile = self._profile(brief, now, memory)
        sources, policies = self._sources(brief, caller, memory)
        spec = dataclasses.replace(brief, policies=policies).spec(profile)
        request = Request(question=brief.question, slots=read_slots(brief.slots) if brief.slots else ())
        assembly = assemble(sources, request, caller, spec, profile, now)
        with closing(BlobArchive(self._home, spec.policies.retention, now)) as archive:
            kept = keep(archive, caller.tenant, assembly.candidates, request)
        manifest = dataclasses.replace(assembly.manifest, candidates=kept)
        write_manifest(self._home, manifest)
        memory.keep()
        return dataclasses.replace(assembly, manifest=manifest)

    def replay(self, manifest: ContextManifest, caller: Caller, now: datetime) -> Assembly:
        """The payload of `manifest` once more, byte for byte, for a caller who may still read all of it.

        Raises:
            MandatoryDenied: `caller` may not.
            ReplayError: the archive lacks something, or another payload came out.
            UnknownRevision: the profile is not here, or not in the revision of that call.
        """
        kept = self._recall(manifest, caller, now)
        profile = resolve(
            manifest.model,
            Form(manifest.format),
            output=manifest.spec.budget.output_reserve,
            moment=datetime.fromisoformat(manifest.assembled_at),
        )
        return replay(manifest, kept.items, kept.request, Remembered(profile, Memory(self._cache)), caller)

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

    def amend(self, reference: str, manifest: ContextManifest) -> None:
        """Write what `manifest` says now in the place that `reference` means.

        Raises:
            InputError: there is none, or more than one.
            StorageError: it cannot be written; the old one is still whole.
        """
        self.export(manifest, find_manifest(self._home, reference))

    def export(self, manifest: ContextManifest, path: Path) -> None:
        """Write a manifest as JSON where a person wants it; raises StorageError."""
        write_out(path, encode_manifest(manifest))

    def _recall(self, manifest: ContextManifest, caller: Caller, now: datetime) -> Candidates:
        if caller.tenant != manifest.tenant:
            raise MandatoryDenied("the archive")
        with closing(BlobArchive(self._home, manifest.spec.policies.retention, now)) as archive:
            return recall(archive, manifest.tenant, manifest.candidates, now)

    def _profile(self, brief: Brief, now: datetime, memory: Memory) -> ModelProfile:
        """The profile of a brief, with a memory of what was counted before; a path is told from further off, too."""
        path = Path(brief.model)
        name = str(path.absolute()) if os.sep in brief.model and is_path(brief.model) else brief.model
        asked = OUTPUT_RESERVE if brief.output_reserve is None else brief.output_reserve
        profile = resolve(name, brief.form, output=asked, moment=now)
        reserve = brief.reserve(profile.limits.window)
        if reserve != asked:
            profile = resolve(name, brief.form, output=reserve, moment=now)
        return Remembered(profile, memory)

    def _sources(self, brief: Brief, caller: Caller, memory: Memory) -> tuple[list[Source], Policies]:
        """What the brief names, opened, and the policies with the revisions of its instructions and examples."""
        instructions = read_instructions(brief.instructions)
        policies = dataclasses.replace(brief.policies, instruction=instructions.revision)
        sources: list[Source] = [RequestSource(), instructions]
        if brief.examples:
            examples = read_demonstrations(brief.examples)
            policies = dataclasses.replace(policies, demonstration=examples.revision)
            sources.append(examples)
        sources.extend(open_folders(brief.folders, brief.whole, caller.tenant, memory))
        if brief.history:
            sources.append(read_history(brief.history))
        if brief.items:
            sources.append(read_items(brief.items, caller.tenant))
        return sources, policies
