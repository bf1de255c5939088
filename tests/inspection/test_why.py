"""why tells every decision about what a name means, and for a name that means nothing, which ones are close."""

import pytest

from conspectus.core.manifest import Reason, Verdict
from conspectus.errors import InputError
from conspectus.inspection.subjects import meant_by
from conspectus.inspection.why import why
from tests.inspection import scenes

MANIFEST = scenes.assembled(limit=1_200).manifest

SUBJECTS = (
    "source/files",
    "file/src/app.py#L1-40",
    "file/src/app.py#L41-90",
    "file/src/app.py#L91.1-91.500",
    "file/tests/app.py#L1-9",
    "file/src/other.py#L1-3",
    "file/README.md",
    "file/build/",
    "file/文档/退货.md#L1-2",
    "history/3",
    "note/app",
)


@pytest.mark.proves("R-DOOR-WHY")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("note/app", ["note/app"]),
        ("file/src/app.py#L1-40", ["file/src/app.py#L1-40"]),
        ("src/app.py", ["file/src/app.py#L1-40", "file/src/app.py#L41-90", "file/src/app.py#L91.1-91.500"]),
        ("./src/other.py", ["file/src/other.py#L1-3"]),
        ("file/src/other.py", ["file/src/other.py#L1-3"]),
        ("file:src/other.py", ["file/src/other.py#L1-3"]),
        ("src/app.py:60", ["file/src/app.py#L41-90"]),
        ("src/app.py#L91", ["file/src/app.py#L91.1-91.500"]),
        ("src/app.py:600", []),
        ("src/", [name for name in SUBJECTS if "/src/" in name]),
        ("tests", ["file/tests/app.py#L1-9"]),
        ("README.md", ["file/README.md"]),
        ("files", ["source/files"]),
        ("source/files", ["source/files"]),
        ("other.py", ["file/src/other.py#L1-3"]),
        ("/home/me/repo/src/other.py", ["file/src/other.py#L1-3"]),
        ("build", ["file/build/"]),
        ("build/lib/x.so", ["file/build/"]),
        ("file/build/lib/x.so", ["file/build/"]),
        ("退货.md", ["file/文档/退货.md#L1-2"]),
        ("history", ["history/3"]),
        ("app", ["note/app"]),
        ("", []),
        ("  ", []),
        ("src/ap", []),
        ("absent", []),
    ],
)  # fmt: skip
def test_a_name_means_what_a_person_would_mean(name: str, meant: list[str]) -> None:
    assert list(meant_by(name, SUBJECTS)) == meant


@pytest.mark.proves("R-DOOR-WHY")
def test_every_decision_about_an_item_is_told() -> None:
    told = why(MANIFEST, scenes.PERIOD.item_id)
    assert told.matched == (scenes.PERIOD.item_id,)
    assert [record.id for record in told.records] == [scenes.PERIOD.item_id]
    assert [decision.verdict for decision in told.decisions] == [Verdict.KEPT]
    assert dict(told.decisions[0].scores)["relevance"] > 0
    assert [(decision.subject, decision.reason) for decision in told.mentions] == [
        (scenes.COPY.item_id, Reason.DUPLICATE)
    ]


def test_a_file_is_told_part_by_part_and_a_skipped_one_with_its_reason() -> None:
    assert len(why(MANIFEST, "docs/terms.md").matched) == 2
    assert [decision.reason for decision in why(MANIFEST, "logo.png").decisions] == [Reason.BINARY]
    assert [decision.detail for decision in why(MANIFEST, "build/out.js").decisions] == [".gitignore:1"]


def test_a_source_is_told_with_what_it_refused() -> None:
    told = why(MANIFEST, "source/files")
    assert told.refused == 1
    assert Reason.GATHERED in {decision.reason for decision in told.decisions}
    (failed,) = why(MANIFEST, "crm").decisions
    assert (failed.verdict, failed.detail) == (Verdict.FAILED, "ConnectionError")


def test_what_was_refused_is_not_known() -> None:
    with pytest.raises(InputError):
        why(MANIFEST, scenes.SECRET.item_id)


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("file/docs/trems.md#L1-4", "file/docs/terms.md#L1-4"),
        ("terms", "docs/terms.md"),
        ("memory/perod", "memory/period"),
    ],
)
def test_close_names_are_suggested(name: str, close: str) -> None:
    with pytest.raises(InputError, match="did you mean") as refused:
        why(MANIFEST, name)
    assert close in str(refused.value)


def test_a_name_like_nothing_is_told() -> None:
    with pytest.raises(InputError, match="give an id, a path or source/NAME"):
        why(MANIFEST, "zzzzzzzzzzzzzzzzzzzzzzzzzz")
