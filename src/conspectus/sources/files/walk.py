"""Which files of a folder may be read, in a fixed order, and why the others are not; it reads rule files only.

A link is never a way to content: what it leads to beneath the folder is offered under its own name, and what it leads
to elsewhere is not read. Rules come from `.gitignore` at every level and `.git/info/exclude`; nothing above the folder
is looked at, and nothing else in it is taken for a setting. A rule file that cannot be read takes its folder with it,
for nobody knows what it would have hidden.
"""

from dataclasses import dataclass, replace

from conspectus.core.manifest import Decision, Reason, Stage, Verdict
from conspectus.sources.files.ignore import Layer, is_ignored, parse_rules
from conspectus.sources.files.names import file_id
from conspectus.storage.beneath import Entry, Folder, Refusal, Shape

MAX_RULE_BYTES = 128 * 1024
_OWN = frozenset({b".git", b".conspectus"})
# Names that hold keys by convention. No rule of the folder can bring them back; naming one as whole does.
_SECRETS: tuple[Layer, ...] = (
    (
        0,
        parse_rules(
            b".env\n.env.*\n.envrc\n!.env.example\n!.env.sample\n!.env.template\n!.env.dist\n"
            b"id_rsa\nid_dsa\nid_ecdsa\nid_ed25519\n.netrc\n.pgpass\n.git-credentials\n.htpasswd\n"
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """What a walk found.

    Attributes:
        files: paths of regular files to read, relative to the folder.
        links: paths of symbolic links, still to be accounted for.
        decisions: what was left out, one for a folder and everything in it.
    """

    files: tuple[bytes, ...] = ()
    links: tuple[bytes, ...] = ()
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visit:
    """A folder to be listed: its path, the path's components, and the rules that reach it, the strongest first."""

    path: bytes = b""
    names: tuple[str, ...] = ()
    layers: tuple[Layer, ...] = ()

    def below(self, name: bytes) -> "_Visit":
        path = self.path + b"/" + name if self.path else name
        return _Visit(path=path, names=(*self.names, name.decode("latin-1")), layers=self.layers)


def walk(folder: Folder, label: str = "") -> Walked:
    """Every file beneath `folder` that its rules offer, in a fixed order: a folder's own, then its folders one by one.

    Args:
        folder: the open root.
        label: what the ids of several roots are told apart by, already encoded.
    """
    files: list[bytes] = []
    links: list[bytes] = []
    decisions: list[Decision] = []
    personal = _rules(folder, b".git/info/exclude", 0)
    waiting = [_Visit(layers=() if isinstance(personal, str) else personal)]
    while waiting:
        visit = waiting.pop()
        listed = _listed(folder, visit)
        if isinstance(listed, str):
            decisions.append(omitted(_folder_id(visit.path, label), Reason.UNREADABLE, listed))
            continue
        visit, entries = listed
        deeper: list[_Visit] = []
        for entry in entries:
            child = visit.below(entry.name)
            verdict = _judge(child, entry)
            if verdict is not None:
                name = _folder_id if entry.shape is Shape.FOLDER else file_id
                decisions.append(omitted(name(child.path, label), *verdict))
            elif entry.shape is Shape.FOLDER:
                deeper.append(child)
            else:
                (files if entry.shape is Shape.FILE else links).append(child.path)
        waiting.extend(reversed(deeper))
    return Walked(files=tuple(files), links=tuple(links), decisions=tuple(decisions))


def omitted(subject: str, reason: Reason, detail: str, related: tuple[str, ...] = ()) -> Decision:
    """The record of something the folder holds and the source does not offer."""
    return Decision(
        subject=subject, stage=Stage.GATHER, verdict=Verdict.OMITTED, reason=reason, detail=detail, related=related
    )


def _listed(folder: Folder, visit: _Visit) -> tuple[_Visit, tuple[Entry, ...]] | str:
    """The entries of a folder and the visit with the folder's own rules, or why there are none."""
    entries = folder.entries(visit.path or b".")
    if isinstance(entries, Refusal):
        return entries
    if all(entry.name != b".gitignore" for entry in entries):
        return visit, entries
    rules = _rules(folder, visit.below(b".gitignore").path, len(visit.names))
    if isinstance(rules, str):
        return f".gitignore: {rules}"
    return replace(visit, layers=(*rules, *visit.layers)), entries


def _rules(folder: Folder, path: bytes, depth: int) -> tuple[Layer, ...] | str:
    content = folder.read(path, limit=MAX_RULE_BYTES)
    if isinstance(content, Refusal):
        return content
    if not content.complete:
        return f"more than {MAX_RULE_BYTES:,} bytes"
    return ((depth, parse_rules(content.data)),)


def _judge(child: _Visit, entry: Entry) -> tuple[Reason, str] | None:
    """Why an entry is left out by its name, its shape or a rule, or None."""
    is_folder = entry.shape is Shape.FOLDER
    if entry.name in _OWN:
        return Reason.IGNORED, "never offered"
    if is_ignored(_SECRETS, child.names, is_folder):
        return Reason.IGNORED, "may hold secrets"
    if is_ignored(child.layers, child.names, is_folder):
        return Reason.IGNORED, "by an ignore rule"
    if entry.shape is Shape.OTHER:
        return Reason.UNREADABLE, Refusal.NOT_REGULAR
    return None


def _folder_id(path: bytes, label: str) -> str:
    return file_id(path + b"/" if path else b"", label)
