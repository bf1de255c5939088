"""What every Source promises, whatever it owns: for test_conformance.py and whoever adds a source."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from conspectus.assembly.authorize import authorize
from conspectus.assembly.gather import gather
from conspectus.core.call import Caller, Request
from conspectus.core.item import ContextItem
from conspectus.core.manifest import Gathered, Offer, Reason, Verdict
from conspectus.core.ports import Source
from conspectus.errors import InputError

NOW = datetime(2026, 1, 2, tzinfo=UTC)
OWNER = Caller(principal="ann", tenant="acme", groups=frozenset({"staff"}))
STRANGER = Caller(principal="ann", tenant="rival", groups=frozenset({"staff"}))
OUTSIDER = Caller(principal="bob", tenant="acme")
CANARY = "CANARY-quagga"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A kind of source, and how it is put to the test.

    Attributes:
        write: lays texts down as the source's durable state in a folder, each as one thing of its own; writing again
            replaces what was there.
        open: the source over that folder, for a tenant.
        restricted: the same, readable by the group `staff` only; None where what it offers is the caller's own.
        found: what stands in the durable state under the id of an item, or None where the item is about the whole.
        asked: the question for these texts; only the request itself depends on it.
        reads: whether there is a file or folder to be missing.
    """

    label: str
    write: Callable[[Path, Sequence[str]], None]
    open: Callable[[Path, str], Source]
    found: Callable[[Path, ContextItem], str | None]
    restricted: Callable[[Path, str], Source] | None = None
    asked: Callable[[Sequence[str]], str] = lambda _: "?"
    reads: bool = True


def check_source(case: Case, folder: Path, texts: Sequence[str]) -> None:
    """Every promise, in turn; `folder` is empty, the texts are two to four different ones of one line."""
    root = folder / "root"
    root.mkdir()
    case.write(root, texts)
    request = Request(question=case.asked(texts))
    offered = check_repeatable(case, root, request)
    check_items(case, root, offered, texts)
    check_versions(case, root, offered, texts)
    case.write(root, texts)
    check_permission(case, root, request)
    check_confinement(case, root, request)
    check_failing_alone(case, root, request)
    check_missing(case, folder)


def check_repeatable(case: Case, root: Path, request: Request) -> Gathered:
    """Asked twice, opened twice, asked at another moment: the same, in the same order."""
    source = case.open(root, OWNER.tenant)
    first = source.gather(request, OWNER, NOW)
    assert source.gather(request, OWNER, NOW) == first
    assert source.gather(request, OWNER, NOW + timedelta(days=400)) == first
    again = case.open(root, OWNER.tenant)
    assert (again.name, again.gather(request, OWNER, NOW)) == (source.name, first)
    return first


def check_items(case: Case, root: Path, offered: Gathered, texts: Sequence[str]) -> None:
    """Ids are unique and lead back to the content; every text is offered; times have zones; the tenant is carried."""
    ids = [item.item_id for item in offered.items]
    assert len(set(ids)) == len(ids)
    for text in texts:
        assert any(text in item.content for item in offered.items)
    for item in offered.items:
        found = case.found(root, item)
        assert found is None or (found and found in item.content)
        assert item.source_uri
        assert item.source_version
        assert item.tenant == OWNER.tenant
        for moment in (item.observed_at, item.expires_at):
            assert moment is None or moment.tzinfo is not None
    assert offered.refused == ()
    for decision in offered.decisions:
        assert not any(text in decision.detail for text in texts), "a decision holds no content"


def check_versions(case: Case, root: Path, before: Gathered, texts: Sequence[str]) -> None:
    """A version changes exactly when the content does, and no id changes with it."""
    changed = [*texts[:-1], f"{texts[-1]} anew"]
    case.write(root, changed)
    request = Request(question=case.asked(changed))
    after = case.open(root, OWNER.tenant).gather(request, OWNER, NOW)
    old = {item.item_id: item for item in before.items}
    new = {item.item_id: item for item in after.items}
    assert old.keys() == new.keys()
    same = [name for name, item in old.items() if item.content == new[name].content]
    assert [name for name in old if old[name].source_version == new[name].source_version] == same
    assert [name for name in old if old[name].content_hash == new[name].content_hash] == same
    assert len(same) < len(old)


def check_permission(case: Case, root: Path, request: Request) -> None:
    """Who may not read it learns one number per source: no content, no id."""
    if case.restricted is None:
        offered = case.open(root, OWNER.tenant).gather(request, STRANGER, NOW)
        assert {item.tenant for item in offered.items} == {STRANGER.tenant}, "what a caller brings is the caller's own"
        return
    source = case.restricted(root, OWNER.tenant)
    everything = source.gather(request, OWNER, NOW).items
    assert {(item.tenant, item.readers) for item in everything} == {(OWNER.tenant, frozenset({"staff"}))}
    for caller in (STRANGER, OUTSIDER):
        allowed = authorize(gather([source], request, caller, NOW), caller, NOW)
        assert allowed.items == ()
        assert [name for name, _ in allowed.refused] == [source.name]
        left = repr(allowed)
        assert [item.item_id for item in everything if item.item_id in left or item.content in left] == []


def check_confinement(case: Case, root: Path, request: Request) -> None:
    """What lies beside the root, or behind a link in it, is never offered."""
    outside = root.parent / "outside.txt"
    outside.write_text(CANARY, encoding="utf-8")
    (root / "link.txt").symlink_to(outside)
    (root / "folder").symlink_to(root.parent)
    offered = case.open(root, OWNER.tenant).gather(request, OWNER, NOW)
    assert CANARY not in repr(offered)
    for made in (root / "link.txt", root / "folder", outside):
        made.unlink()


class Failing:
    """A source that breaks, with something in its words that nobody may see."""

    name = "failing"

    def gather(self, request: Request, caller: Caller, now: datetime) -> Gathered:
        raise OSError(f"{CANARY}: {request.question} {caller} {now}")


def check_failing_alone(case: Case, root: Path, request: Request) -> None:
    """A source beside it that fails is recorded, and takes nothing from it."""
    source = case.open(root, OWNER.tenant)
    alone = gather([source], request, OWNER, NOW)
    failed, beside = gather([Failing(), source], request, OWNER, NOW)
    assert (beside,) == alone
    assert beside.gathered.decisions[0].detail == f"{len(beside.gathered.items)} candidates"
    (decision,) = failed.gathered.decisions
    assert (decision.subject, decision.verdict, decision.reason) == (
        "source/failing",
        Verdict.FAILED,
        Reason.SOURCE_FAILED,
    )
    assert CANARY not in repr(failed)
    assert failed == Offer(source="failing", gathered=replace(failed.gathered, items=()))


def check_missing(case: Case, folder: Path) -> None:
    """What a person named and is not there is refused by its name, when it is opened or when it is asked."""
    if case.reads:
        with pytest.raises(InputError) as refused:
            case.open(folder / "gone", OWNER.tenant).gather(Request(question="?"), OWNER, NOW)
        assert "gone" in refused.value.path


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def write_lines(path: Path, records: Sequence[object]) -> None:
    text = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
    path.write_text(text, encoding="utf-8")
