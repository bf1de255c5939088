"""Why: every decision about one item, file or source; it repeats what the manifest says and concludes nothing."""

from dataclasses import dataclass

from conspectus.core.manifest import ContextManifest, Decision, ItemRecord, Reason
from conspectus.inspection.subjects import meant_by, subjects_of, unknown

# Under these reasons `related` names what a decision is about as well; under others it names what was lost to.
_BOTH_WAYS = frozenset(
    {Reason.DUPLICATE, Reason.NEAR_DUPLICATE, Reason.SUPERSEDED, Reason.DEPENDENCY_ABSENT, Reason.CONFLICT}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Everything a manifest says about a subject.

    Attributes:
        subject: what was asked for.
        matched: the ids it means.
        records: their places in the payload, in its order.
        decisions: every decision about them, in the order they were made.
        mentions: decisions about others that were made because of them: copies, older versions, contradictions.
        refused: for a source, how many of its candidates the caller may not read.
    """

    subject: str
    matched: tuple[str, ...]
    records: tuple[ItemRecord, ...]
    decisions: tuple[Decision, ...]
    mentions: tuple[Decision, ...]
    refused: int


def why(manifest: ContextManifest, subject: str) -> Account:
    """Every decision about the items, file or source that `subject` means.

    Raises:
        InputError: the manifest knows no such thing; close ids are named.
    """
    subjects = subjects_of(manifest)
    matched = meant_by(subject, subjects)
    if not matched:
        raise unknown(subject, subjects)
    names = frozenset(matched)
    return Account(
        subject=subject,
        matched=matched,
        records=tuple(record for record in manifest.items if record.id in names),
        decisions=tuple(decision for decision in manifest.decisions if decision.subject in names),
        mentions=tuple(
            decision
            for decision in manifest.decisions
            if decision.reason in _BOTH_WAYS
            and decision.subject not in names
            and not names.isdisjoint(decision.related)
        ),
        refused=sum(count for source, count in manifest.refused if f"source/{source}" in names),
    )
