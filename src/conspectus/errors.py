"""The one error tree of conspectus; it holds no behaviour beyond saying what happened and what to do next.

ContextError
├── SpecError        UnknownRevision · IncompatibleSpec
├── AssemblyError    MandatoryOverflow · MandatoryDenied · MissingDependency
├── ReplayError      BlobMissing · ReplayDrift
├── StorageError     Conflict · Corrupt · StorageFull
├── ToolError        NotPermitted · ApprovalRequired · ToolFailed · ToolTimeout
├── ModelError       ModelUnavailable · IncompleteReply · UsageMismatch
└── InputError       what a person or a file gave us is wrong, and where
"""

from collections.abc import Sequence


class ContextError(Exception):
    """Anything conspectus refuses or cannot do; `str(error)` ends with what to do next where that is known."""


class SpecError(ContextError):
    """The contract of an assembly (profile, limits, policies) makes no sense or is not known here."""


class UnknownRevision(SpecError):
    """A model, tokenizer, template or policy revision that this installation does not have.

    Attributes:
        what: the kind of thing, such as `profile` or `ranking policy`.
        revision: the name that was asked for.
        known: names that would have worked; the nearest ones where there are many.
    """

    def __init__(self, what: str, revision: str, known: Sequence[str] = (), *, hint: str = "") -> None:
        self.what = what
        self.revision = revision
        self.known = tuple(known)
        names = f"; known: {', '.join(self.known)}" if self.known else ""
        super().__init__(f"unknown {what} {revision!r}{f': {hint}' if hint else names}")


class IncompatibleSpec(SpecError):
    """Settings that contradict each other, such as a reserve that leaves no room for input.

    Attributes:
        field: the setting to change.
    """

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(f"{field}: {message}")


class AssemblyError(ContextError):
    """No payload can be made that keeps every promise."""


class MandatoryOverflow(AssemblyError):
    """The mandatory items alone do not fit; nothing mandatory is ever cut.

    Attributes:
        needed: tokens of the smallest payload that holds every mandatory item.
        allowed: tokens the limits, or a kind's share, leave for them.
        items: (item id, tokens) of each mandatory item, largest first.
        changes: (setting, tokens) for each setting that has to change before they fit: a reserve to these tokens or
            fewer, any other to these or more; empty where the model's window itself is too small.
    """

    def __init__(
        self, needed: int, allowed: int, items: Sequence[tuple[str, int]], changes: Sequence[tuple[str, int]] = ()
    ) -> None:
        self.needed = needed
        self.allowed = allowed
        self.items = tuple(items)
        self.changes = tuple(changes)
        advice = " and ".join(_change(*change) for change in self.changes) or "choose a model with a larger window"
        around = needed - sum(tokens for _, tokens in self.items)
        rows = (*self.items, *([("headings and rules around them", around)] if around else []))
        listing = "".join(f"\n  {tokens:>9,} tokens  {name}" for name, tokens in rows)
        super().__init__(
            f"the mandatory items need {needed:,} tokens and {allowed:,} are allowed; "
            f"{advice}, or shorten one of these:{listing}"
        )


def _change(setting: str, tokens: int) -> str:
    if setting.endswith("reserve"):
        return f"lower the {setting} to {tokens:,} or less"
    return f"{'widen' if setting.startswith('share') else 'raise'} the {setting} to at least {tokens:,}"


class MandatoryDenied(AssemblyError):
    """The caller may not read something the payload cannot be without.

    Attributes:
        source: the source that holds it; the item itself is not named.
    """

    def __init__(self, source: str, cause: str = "may not be read by this caller") -> None:
        self.source = source
        super().__init__(
            f"a mandatory item of {source} {cause}; ask as a principal, group or tenant that may, or renew it"
        )


class MissingDependency(AssemblyError):
    """A mandatory item depends on an item that no source offered.

    Attributes:
        item_id: the mandatory item.
        missing: the ids it needs.
    """

    def __init__(self, item_id: str, missing: Sequence[str]) -> None:
        self.item_id = item_id
        self.missing = tuple(missing)
        super().__init__(
            f"{item_id} is mandatory and depends on {', '.join(self.missing)}, which no source offered; "
            "add the source that holds it, or drop the dependency"
        )


class ReplayError(ContextError):
    """A manifest cannot be turned back into its payload."""


class BlobMissing(ReplayError):
    """Archived content is gone, deleted with its source or past its retention.

    Attributes:
        digest: SHA-256 of the content.
        source: where it came from, as far as the manifest says.
    """

    def __init__(self, digest: str, source: str) -> None:
        self.digest = digest
        self.source = source
        super().__init__(
            f"the archive no longer holds {digest[:12]} of {source}; the payload cannot be rebuilt, assemble it again"
        )


class ReplayDrift(ReplayError):
    """The same candidates gave another payload.

    Attributes:
        expected: payload hash in the manifest.
        actual: payload hash now.
    """

    def __init__(self, expected: str, actual: str) -> None:
        self.expected = expected
        self.actual = actual
        super().__init__(
            f"replay gave payload {actual[:12]}, the manifest says {expected[:12]}; another "
            "version of conspectus or of a policy made it: replay it with that one, or assemble again"
        )


class StorageError(ContextError):
    """Bytes could not be kept or read back whole."""


class Conflict(StorageError):
    """Somebody else changed it first.

    Attributes:
        subject: what was to be written.
        current: its version now.
    """

    def __init__(self, subject: str, current: str) -> None:
        self.subject = subject
        self.current = current
        super().__init__(f"{subject} changed meanwhile and is at version {current}; read it again and repeat")


class Corrupt(StorageError):
    """Stored bytes are damaged or of a schema this version does not know; they are left untouched.

    Attributes:
        subject: the file or record.
    """

    def __init__(self, subject: str, reason: str) -> None:
        self.subject = subject
        super().__init__(f"{subject}: {reason}; it was left untouched: restore it, or move it away to begin anew")


class StorageFull(StorageError):
    """The device has no room left; the previous state is still whole.

    Attributes:
        subject: the file that could not be written.
    """

    def __init__(self, subject: str, reason: str = "no room") -> None:
        self.subject = subject
        super().__init__(f"{subject}: {reason}; make room, the previous state is still whole")


class ToolError(ContextError):
    """A tool did not do what was asked."""


class NotPermitted(ToolError):
    """Policy refuses this action.

    Attributes:
        action: what was asked for.
    """

    def __init__(self, action: str, reason: str) -> None:
        self.action = action
        super().__init__(f"{action} is not permitted: {reason}; ask for something that is, or change the policy")


class ApprovalRequired(ToolError):
    """A person has to approve exactly this action first.

    Attributes:
        action_hash: digest of the action to approve.
    """

    def __init__(self, action_hash: str, message: str) -> None:
        self.action_hash = action_hash
        super().__init__(f"{message}; approve action {action_hash[:12]}, or ask for another")


class ToolFailed(ToolError):
    """The tool ran and reported failure.

    Attributes:
        tool: its name.
    """

    def __init__(self, tool: str, reason: str) -> None:
        self.tool = tool
        super().__init__(f"{tool} failed: {reason}; mend its arguments or what it works on")


class ToolTimeout(ToolError):
    """The tool ran past its limit and was ended.

    Attributes:
        tool: its name.
        seconds: the limit.
    """

    def __init__(self, tool: str, seconds: float) -> None:
        self.tool = tool
        self.seconds = seconds
        super().__init__(f"{tool} was ended after {seconds:g} s; give it less to do or more time")


class ModelError(ContextError):
    """A model provider did not do what was asked."""


class ModelUnavailable(ModelError):
    """The provider or a part needed to count for it cannot be reached or is not installed.

    Attributes:
        what: the part or provider.
    """

    def __init__(self, what: str, message: str) -> None:
        self.what = what
        super().__init__(f"{what} {message}")


class IncompleteReply(ModelError):
    """A reply ended before it was whole.

    Attributes:
        model: who was asked.
    """

    def __init__(self, model: str, reason: str) -> None:
        self.model = model
        super().__init__(f"the reply of {model} is not whole: {reason}; ask again")


class UsageMismatch(ModelError):
    """The provider counted another number of tokens than we did, beyond the profile's margin.

    Attributes:
        ours: tokens we counted.
        theirs: tokens the provider reported.
    """

    def __init__(self, ours: int, theirs: int, margin: float) -> None:
        self.ours = ours
        self.theirs = theirs
        super().__init__(
            f"we counted {ours:,} tokens, the provider {theirs:,}: more apart than {margin:.1%}; "
            "choose the profile of the model that answered, or reconcile its margin"
        )


class InputError(ContextError):
    """What a person or a file gave us is wrong.

    Attributes:
        path: the file, or the name of the argument.
        line: 1-based line number, or None.
        field: the field of the record, or "".
    """

    def __init__(self, path: str, message: str, *, line: int | None = None, field: str = "") -> None:
        self.path = path
        self.line = line
        self.field = field
        self.message = message
        where = path if line is None else f"{path}:{line}"
        super().__init__(f"{where}: {f'{field}: ' if field else ''}{message}")
