"""Texts and their chunks to the items a folder offers; it reads nothing and cuts nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from conspectus.core.canonical import text_hash
from conspectus.core.item import ContextItem, Kind, Trust
from conspectus.core.manifest import Decision, Reason
from conspectus.sources.files.names import columns_fragment, file_id, lines_fragment, source_uri
from conspectus.sources.files.pack import Chunk
from conspectus.sources.files.reading import VERSION_DIGITS, TextFile
from conspectus.sources.files.skeleton import is_head, join_head, outline
from conspectus.sources.files.walk import omitted


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What every item of one folder has in common; makes the items."""

    label: str
    tenant: str
    readers: frozenset[str]
    acl_version: str
    trust: Trust

    def whole(self, file: TextFile) -> ContextItem:
        """The file as one mandatory item, with all of its text."""
        return self._item(file_id(file.path, self.label), file.text, file.version, file.observed_at, mandatory=True)

    def withheld(self, path: bytes) -> ContextItem:
        """A mandatory item without content, for a caller who may not read it: it is to be refused, not forgotten."""
        return self._item(file_id(path, self.label), "", "", None, mandatory=True)

    def tree(self, files: Sequence[TextFile]) -> ContextItem:
        """The outline of the folder; no file has its id, for `#` in a path is escaped."""
        text = outline((file.path, file.size) for file in files)
        newest = max((file.observed_at for file in files if file.observed_at), default=None)
        item_id = file_id(b"", self.label) + "#outline"
        return self._item(item_id, text, text_hash(text)[:VERSION_DIGITS], newest, stable=True)

    def chunks(
        self, file: TextFile, chunks: Sequence[Chunk], *, skeleton: bool
    ) -> tuple[list[ContextItem], list[Decision]]:
        """An item for every chunk that holds anything; the beginning of a README or of settings is stable."""
        head = skeleton and is_head(file.path)
        if head:
            chunks = join_head(file.text, chunks)
        name = file_id(file.path, self.label)
        shown = [_shown(file.text, chunk) for chunk in chunks]
        ids = [name + _fragment(chunk, text, skipped) for chunk, (text, skipped) in zip(chunks, shown, strict=True)]
        items: list[ContextItem] = []
        blanks: list[Decision] = []
        for chunk, (text, _), item_id in zip(chunks, shown, ids, strict=True):
            if not text:
                blanks.append(omitted(item_id, Reason.IGNORED, "blank"))
                continue
            needs = (ids[chunk.needs],) if chunk.needs >= 0 and shown[chunk.needs][0] else ()
            stable = head and chunk.start == 0
            items.append(self._item(item_id, text, file.version, file.observed_at, dependencies=needs, stable=stable))
        return items, blanks

    def _item(
        self,
        item_id: str,
        content: str,
        version: str,
        observed_at: datetime | None,
        *,
        dependencies: tuple[str, ...] = (),
        mandatory: bool = False,
        stable: bool = False,
    ) -> ContextItem:
        return ContextItem(
            item_id=item_id,
            kind=Kind.EVIDENCE,
            content=content,
            source_uri=source_uri(item_id),
            source_version=version,
            trust=self.trust,
            observed_at=observed_at,
            tenant=self.tenant,
            acl_version=self.acl_version,
            readers=self.readers,
            dependencies=dependencies,
            mandatory=mandatory,
            stable=stable,
        )


def _shown(text: str, chunk: Chunk) -> tuple[str, int]:
    """A chunk without the blank lines around it and its last line end, and how many lines were skipped before it.

    Nothing else is changed: what is shown stands in the file exactly so.
    """
    body = text[chunk.start : chunk.end]
    kept = body.rstrip()
    if not kept:
        return "", 0
    end = body.find("\n", len(kept))
    if end >= 0:
        body = body[:end].removesuffix("\r")
    if chunk.column or not body[0].isspace():
        return body, 0
    begin = body.rfind("\n", 0, len(body) - len(body.lstrip())) + 1
    return body[begin:], body.count("\n", 0, begin)


def _fragment(chunk: Chunk, text: str, skipped: int) -> str:
    """The part of the id that names the lines, or the columns of one line, that are shown."""
    if chunk.column:
        return columns_fragment(chunk.first, chunk.column, chunk.column + max(1, len(text)) - 1)
    first = chunk.first + skipped
    return lines_fragment(first, first + text.count("\n") if text else chunk.last)
