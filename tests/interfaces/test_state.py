"""The state folder: made on the first success only, refused when it is damaged or newer, and never overwritten."""

import hashlib
from pathlib import Path

import pytest

from tests.interfaces.door import assembled, knock, refused

QUESTION = "Where are retries configured?"
COMMANDS = (
    ("assemble", QUESTION, "--in", "shop"),
    ("why", "abcdef", "x"),
    ("diagnose", "abcdef", "x"),
    ("quality", "abcdef"),
    ("replay", "abcdef"),
    ("diff", "abcdef", "abcdef"),
)

pytestmark = pytest.mark.usefixtures("shop")


def fingerprint(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.proves("R-DOOR-STATE")
def test_looking_makes_nothing() -> None:
    for arguments in COMMANDS[1:]:
        knock(*arguments)
    knock("models")
    assert not Path(".conspectus").exists()


@pytest.mark.proves("R-DOOR-STATE")
def test_state_lives_in_the_current_folder_or_in_the_home() -> None:
    assembled()
    assert Path(".conspectus/manifests").is_dir()
    assembled("--home", "deep/er/state")
    assert Path("deep/er/state/manifests").is_dir()


@pytest.mark.proves("R-DOOR-STATE", "R-EXIT-6")
@pytest.mark.parametrize(
    ("text", "word"),
    [('{"schema_version": 99}', "use a newer one"), ("{", "damaged"), ("\0", "damaged"), ("", "damaged")],
)
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: str(arguments[0]))
def test_a_damaged_or_newer_state_is_refused_and_left_as_it_is(
    arguments: tuple[str, ...], text: str, word: str
) -> None:
    assembled()
    Path(".conspectus/state.json").write_text(text, encoding="utf-8")
    before = fingerprint(Path(".conspectus"))
    refused(knock(*arguments), 6, "state.json", word)
    assert fingerprint(Path(".conspectus")) == before


@pytest.mark.proves("R-DOOR-STATE", "R-EXIT-6")
def test_a_damaged_archive_is_refused_and_left_as_it_is() -> None:
    assembled()
    Path(".conspectus/conspectus.db").write_bytes(b"not a database" * 100)
    before = fingerprint(Path(".conspectus"))
    refused(knock("assemble", "Another question?", "--in", "shop"), 6, "conspectus.db")
    refused(knock("replay", "m.json"), 6, "conspectus.db")
    assert fingerprint(Path(".conspectus")) == before


@pytest.mark.proves("R-COUNT-CACHE")
def test_a_damaged_cache_is_done_without_and_told() -> None:
    assembled()
    (cache,) = (path for path in Path(".conspectus").glob("cache*.db"))
    first = knock("replay", "m.json").stdout
    cache.write_bytes(b"not a database" * 100)
    outcome = knock("assemble", QUESTION, "--in", "shop", "--now", "2026-12-01T09:00:00Z")
    assert (outcome.code, outcome.stdout) == (0, first)
    assert "cache" in outcome.stderr
    assert "anew" in outcome.stderr


@pytest.mark.proves("R-EXIT-6")
def test_a_file_where_the_state_should_be_is_a_matter_of_storage() -> None:
    Path("state").write_text("", encoding="utf-8")
    refused(knock("assemble", QUESTION, "--home", "state"), 6, "state", "no folder")
    refused(knock("assemble", QUESTION, "--home", "/dev/null/state"), 6, "/dev/null/state")


@pytest.mark.proves("R-EXIT-6")
def test_a_damaged_manifest_of_the_state_is_a_matter_of_storage() -> None:
    name = assembled()["request_id"]
    Path(f".conspectus/manifests/{name}.json").write_text("{}", encoding="utf-8")
    refused(knock("why", name, "x"), 6, name)
