"""The state folder is made on the first write, hidden from git, and refused when it is not ours to touch."""

import subprocess
from pathlib import Path

import pytest

from conspectus.errors import Corrupt, StorageError
from conspectus.storage.home import Home


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.proves("R-DOOR-STATE")
def test_it_is_made_on_the_first_write_and_not_before(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "home")
    assert list(tmp_path.iterdir()) == []
    home.prepare()
    home.prepare()
    assert files(home.path) == {".gitignore": b"*\n", "state.json": b'{"schema_version":1}\n'}
    assert home.path.stat().st_mode & 0o777 == home.manifests.stat().st_mode & 0o777 == 0o700
    Home(home.path).prepare()


def test_git_does_not_see_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    Home(tmp_path / ".conspectus").prepare()
    seen = subprocess.run(["git", "-C", str(tmp_path), "status", "--porcelain"], capture_output=True, check=True)
    assert seen.stdout == b""


def test_an_empty_folder_becomes_one_and_a_used_folder_keeps_its_own_ignore_rules(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    Home(tmp_path / "empty").prepare()
    assert (tmp_path / "empty" / ".gitignore").exists()
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "main.py").write_text("x = 1\n")
    Home(tmp_path / "used").prepare()
    assert sorted(files(tmp_path / "used")) == ["main.py", "state.json"]


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.prepare()
    for folder in (home.path, home.manifests):
        (folder / ".value.1.0.tmp").write_bytes(b"half")
    Home(tmp_path).prepare()
    assert sorted(files(tmp_path)) == [".gitignore", "state.json"]


@pytest.mark.proves("R-DOOR-STATE", "R-EXIT-6")
@pytest.mark.parametrize(
    ("state", "message"),
    [
        (b'{"schema_version":2}', "is of version 2 and this installation knows 1; use a newer one"),
        (b'{"schema_version":2,"more":[1]}', "version 2"),
        (b'{"schema_version":0}', "version 0"),
        (b'{"schema_version":"1"}', "damaged"),
        (b'{"schema_vers', "damaged"),
        (b"", "damaged"),
        (b"\x00" * 20, "damaged"),
        (b"1" * 70_000, "damaged"),
    ],
)
def test_a_newer_or_damaged_state_is_refused_and_left_alone(tmp_path: Path, state: bytes, message: str) -> None:
    Home(tmp_path).prepare()
    (tmp_path / "state.json").write_bytes(state)
    before = files(tmp_path)
    with pytest.raises(Corrupt, match=message):
        Home(tmp_path)
    assert files(tmp_path) == before


@pytest.mark.parametrize("name", ["conspectus.db", "manifests"])
def test_a_state_without_its_version_is_refused(tmp_path: Path, name: str) -> None:
    home = Home(tmp_path)
    home.prepare()
    home.archive.write_bytes(b"")
    (tmp_path / "state.json").unlink()
    (home.manifests if name == "conspectus.db" else home.archive).rename(tmp_path / "elsewhere")
    with pytest.raises(Corrupt, match=r"state\.json is gone"):
        Home(tmp_path)


@pytest.mark.parametrize("name", ["conspectus.db", "cache-1.db", "manifests", "state.json"])
def test_links_inside_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / name).symlink_to(tmp_path / "outside")
    with pytest.raises(Corrupt, match="is a link"):
        Home(tmp_path / "home")
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_path_that_is_taken_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="is no folder"):
        Home(tmp_path / "file")
    (tmp_path / "manifests").write_bytes(b"")
    with pytest.raises(Corrupt, match="is no folder"):
        Home(tmp_path)


def test_a_home_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    Home(tmp_path / "link").prepare()
    assert "state.json" in files(tmp_path / "real")
