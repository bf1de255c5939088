"""What an installation brings: few packages from the standard index, each explained; and the words of make."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from tests.house.sources import ROOT

MAX_BASE_PACKAGES = 10
WORDS = ["setup", "demo", "test", "lint", "bench", "torture", "soak", "docs"]
LOCK = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = {package["name"]: package for package in LOCK["package"]}


def applies(dependency: dict[str, Any], platform: str) -> bool:
    """Whether a locked dependency is installed on a platform, by its marker."""
    marker = dependency.get("marker")
    return marker is None or Marker(marker).evaluate({"sys_platform": platform, "extra": ""})


def installed(platform: str) -> set[str]:
    """The packages that a base install brings along, the project itself not counted."""
    found: set[str] = set()
    waiting = ["conspectus"]
    while waiting:
        for dependency in PACKAGES[waiting.pop()].get("dependencies", []):
            if applies(dependency, platform) and dependency["name"] not in found:
                found.add(dependency["name"])
                waiting.append(dependency["name"])
    return found


def names(requirements: Iterable[str]) -> set[str]:
    return {Requirement(requirement).name for requirement in requirements}


def direct() -> set[str]:
    """Every package that pyproject.toml names: base, extras and development."""
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    lists = [project["dependencies"], *extras, PROJECT["dependency-groups"]["dev"], PROJECT["build-system"]["requires"]]
    return {name for requirements in lists for name in names(requirements)} - {"conspectus"}


@pytest.mark.proves("R-HOUSE-BASE")
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_base_install_is_small(platform: str) -> None:
    brought = installed(platform)
    assert len(brought) <= MAX_BASE_PACKAGES, sorted(brought)


@pytest.mark.proves("R-HOUSE-BASE")
def test_the_base_brings_no_package_that_an_extra_is_for() -> None:
    extras = PROJECT["project"]["optional-dependencies"].values()
    assert installed("linux") & {name for requirements in extras for name in names(requirements)} == set()


@pytest.mark.proves("R-HOUSE-LOCK")
def test_the_lock_names_only_the_standard_index() -> None:
    hosts = set(re.findall(r"https?://[^/\"]+", (ROOT / "uv.lock").read_text(encoding="utf-8")))
    assert hosts == {"https://pypi.org", "https://files.pythonhosted.org"}


@pytest.mark.proves("R-HOUSE-LOCK")
def test_every_locked_package_has_a_hash_for_every_file() -> None:
    files = [
        (package["name"], file)
        for package in LOCK["package"]
        for file in (*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else []))
    ]
    assert [name for name, file in files if not file["hash"].startswith("sha256:")] == []
    assert {name for name, _ in files} == set(PACKAGES) - {"conspectus"}


@pytest.mark.proves("R-HOUSE-DEPENDENCIES")
def test_every_direct_dependency_is_explained() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `([^`]+)`", page, flags=re.MULTILINE))
    assert explained == direct()


@pytest.mark.proves("R-HOUSE-MAKE")
def test_make_knows_exactly_its_words() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert targets == WORDS


@pytest.mark.proves("R-HOUSE-MAKE")
def test_every_word_of_make_does_its_own_set_up() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    needs = dict(re.findall(r"^(\.?[a-z-]+):(.*)$", makefile, flags=re.MULTILINE))
    for word in WORDS:
        steps = needs[word].split()
        assert steps, word
        assert [step for step in steps if step != "$(READY)" and needs[step].split() != ["$(READY)"]] == []
    assert "$(READY): pyproject.toml uv.lock\n" in makefile


@pytest.mark.proves("R-HOUSE-CI")
def test_the_check_runs_the_test_command_of_the_readme_and_nothing_else() -> None:
    lines = [line.strip() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()]
    commands = [line for line in lines if line and not line.startswith(("#", "set ", "cd "))]
    assert commands == ["make test"]
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
