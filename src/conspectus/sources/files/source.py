"""FileSource: a folder, read at the moment of the call and offered as items; it ranks nothing and keeps nothing."""

import os
import posixpath
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from conspectus.core.call import Caller, Request
from conspectus.core.item import Trust
from conspectus.core.manifest import Decision, Gathered, Reason, Stage, Verdict
from conspectus.errors import InputError
from conspectus.sources.files.boundaries import ChunkCache, cut_files
from conspectus.sources.files.chunk import cut_as, language_of
from conspectus.sources.files.names import encode_path, file_id
from conspectus.sources.files.offer import Stamp
from conspectus.sources.files.reading import TextFile, Unread, read_text
from conspectus.sources.files.walk import Walked, omitted, walk
from conspectus.storage.beneath import Folder, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePolicy:
    """How a folder is offered, and to whom.

    Attributes:
        max_bytes: a larger file is left out as `too_large`, unread.
        hard_links: read files that have a second name, which may lie outside the folder; refused unless allowed.
        skeleton: offer the outline of the folder, and mark the beginning of README and settings as stable.
        readers: principals and groups that may read it; empty means the whole tenant.
        acl_version: version of the access rules behind `readers`.
        trust: whether the operator vouches for what the folder says.
    """

    max_bytes: int = 1_000_000
    hard_links: bool = False
    skeleton: bool = True
    readers: frozenset[str] = frozenset()
    acl_version: str = ""
    trust: Trust = Trust.TRUSTED


_DEFAULT_POLICY = FilePolicy()


class FileSource:
    """A folder, or one file, as a source of evidence.

    Ids are `file/PATH#L10-42`, `file/PATH` for a file that is kept whole and `file/#outline` for the tree; the version
    is the beginning of the SHA-256 of the file's bytes, `observed_at` its modification time.

    Args:
        root: the folder; a single file is a folder that holds nothing else.
        tenant: whose folder it is.
        label: tells the ids of several folders apart (`file/LABEL/PATH`); empty for a single one.
        whole: paths in the folder, each to be one mandatory item that is never cut, ignored or not.
        policy: limits, readers and trust.
        cache: keeps chunk boundaries between calls.
    """

    def __init__(
        self,
        root: Path,
        *,
        tenant: str = "local",
        label: str = "",
        whole: Sequence[str] = (),
        policy: FilePolicy = _DEFAULT_POLICY,
        cache: ChunkCache | None = None,
    ) -> None:
        self._root = root
        self._label = encode_path(label.encode("utf-8", "surrogateescape")).replace("/", "%2F")
        self._whole = tuple(dict.fromkeys(os.fsencode(posixpath.normpath(path)) if path else b"" for path in whole))
        self._policy = policy
        self._cache = cache
        self._stamp = Stamp(
            label=self._label,
            tenant=tenant,
            readers=policy.readers,
            acl_version=policy.acl_version,
            trust=policy.trust,
        )

    @property
    def name(self) -> str:
        """`files`, or `files/LABEL`."""
        return f"files/{self._label}" if self._label else "files"

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:  # noqa: ARG002 - all is offered
        """Every chunk of every readable text file, and a decision for everything that is not offered.

        A caller who may not read the folder is told how many files there are and nothing else; no file is read.

        Raises:
            InputError: the root is missing, or a path to be kept whole cannot be.
        """
        root = self._root
        alone = root.is_file()
        if alone:
            root = root.resolve()
        with Folder(root.parent if alone else root) as folder:
            walked = Walked(files=(os.fsencode(root.name),)) if alone else walk(folder, self._label)
            if not self._may_read(caller):
                return Gathered(
                    items=tuple(self._stamp.withheld(path) for path in self._whole),
                    refused=((self.name, len(walked.files)),),
                )
            return self._offer(folder, walked)

    def _may_read(self, caller: Caller) -> bool:
        readers = self._policy.readers
        return caller.tenant == self._stamp.tenant and (not readers or not readers.isdisjoint(caller.names))

    def _offer(self, folder: Folder, walked: Walked) -> Gathered:
        whole = [self._read_whole(folder, path) for path in self._whole]
        files, unread = self._read(folder, walked.files, {file.identity for file in whole})
        items = [self._stamp.whole(file) for file in whole]
        known = {file.identity: file_id(file.path, self._label) for file in (*files, *whole)}
        named = {file_id(path, self._label) for path in self._whole}
        decisions = [decision for decision in walked.decisions if decision.subject not in named]
        decisions += unread
        decisions += (self._account_for(folder, path, known) for path in walked.links if path not in self._whole)
        for file, cut in zip(files, cut_files(files, self._cache), strict=True):
            offered, blanks = self._stamp.chunks(file, cut.chunks, skeleton=self._policy.skeleton)
            items += offered
            decisions += blanks
            if cut.resisted:
                decisions.append(
                    _noted(file_id(file.path, self._label), "cut by paragraphs: too large or too odd to parse")
                )
        if self._policy.skeleton and len(files) > 1:
            items.append(self._stamp.tree(files))
        decisions += self._missing_grammars(files)
        return Gathered(items=tuple(items), decisions=tuple(decisions))

    def _read(
        self, folder: Folder, paths: Sequence[bytes], taken: set[tuple[int, int]]
    ) -> tuple[list[TextFile], list[Decision]]:
        """The texts of the files, without those `taken` as whole, and a decision for each that has none."""
        files: list[TextFile] = []
        decisions: list[Decision] = []
        for path in paths:
            read = read_text(folder, path, limit=self._policy.max_bytes, hard_links=self._policy.hard_links)
            if isinstance(read, TextFile) and read.identity in taken:
                continue
            if isinstance(read, TextFile) and read.text and not read.text.isspace():
                files.append(read)
                continue
            why = read if isinstance(read, Unread) else Unread(reason=Reason.IGNORED, detail="empty")
            decisions.append(omitted(file_id(path, self._label), why.reason, why.detail))
        return files, decisions

    def _read_whole(self, folder: Folder, path: bytes) -> TextFile:
        policy = self._policy
        read = read_text(folder, path, limit=policy.max_bytes, hard_links=policy.hard_links, follow=True)
        if isinstance(read, TextFile):
            return read
        raise InputError(
            encode_path(path),
            f"cannot be kept whole: {read.reason}, {read.detail}; name a text file inside {self._root} or leave it out",
            field="whole",
        )

    def _account_for(self, folder: Folder, path: bytes, known: dict[tuple[int, int], str]) -> Decision:
        """Why a link is not read: what it leads to is offered under its own name, or not at all."""
        subject = file_id(path, self._label)
        status = folder.look(path)
        if isinstance(status, Refusal):
            return omitted(subject, Reason.UNREADABLE, status)
        target = known.get((status.st_dev, status.st_ino))
        if target is not None:
            return omitted(subject, Reason.DUPLICATE, "link", related=(target,))
        if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            return omitted(subject, Reason.IGNORED, "link to what has its own name or is not offered")
        return omitted(subject, Reason.UNREADABLE, Refusal.NOT_REGULAR)

    def _missing_grammars(self, files: Sequence[TextFile]) -> list[Decision]:
        """A note for each language that was cut by paragraphs for want of its grammar."""
        missing = {language_of(file.path) for file in files if cut_as(file.path) != language_of(file.path)}
        return [
            _noted(f"source/{self.name}", f"{language} cut by paragraphs: no grammar; pip install 'conspectus[code]'")
            for language in sorted(missing)
        ]


def _noted(subject: str, detail: str) -> Decision:
    return Decision(subject=subject, stage=Stage.GATHER, verdict=Verdict.NOTED, reason=Reason.GATHERED, detail=detail)
