"""The import contracts of pyproject.toml hold, and each catches a fault planted in a copy of the package."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.house.sources import PACKAGE, ROOT

LINT = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
CONTRACTS = {contract["id"]: contract for contract in CONFIGURATION["contracts"]}
DOC = '"""Planted."""\n\n'


def floors() -> list[list[str]]:
    """The floors of the house from the top down, neighbours together, as the contract names them."""
    return [
        [name.strip(" ()").removeprefix("conspectus.") for name in layer.split("|")]
        for layer in CONTRACTS["floors"]["layers"]
    ]


def floor_faults() -> dict[str, str]:
    """Every floor imports every floor above it, and every neighbour the next one: importer to its imports."""
    faults: dict[str, str] = {}
    above: list[str] = []
    for floor in floors():
        for index, name in enumerate(floor):
            banned = [*above, *floor[index + 1 :]]
            if banned:
                faults[f"{name}/planted.py"] = DOC + "".join(f"import conspectus.{other}\n" for other in banned)
        above.extend(floor)
    return faults


def plant(target: Path, faults: Mapping[str, str]) -> None:
    """Copy the package and its configuration, make room where a floor is not built yet, and write the faults."""
    package = target / "src" / "conspectus"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", target)
    for name in (name for floor in floors() for name in floor):
        if not (package / f"{name}.py").exists():
            (package / name).mkdir(exist_ok=True)
            (package / name / "__init__.py").touch()
    for relative, text in faults.items():
        path = package / relative
        if path.parent.with_suffix(".py").exists():  # a floor of one file: the fault goes into that file
            path = path.parent.with_suffix(".py")
            text = path.read_text(encoding="utf-8") + "\n" + text.removeprefix(DOC)
        path.write_text(text, encoding="utf-8")


def lint(where: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(where / "src"), "NO_COLOR": "1", "COLUMNS": "300"}
    return subprocess.run([*LINT, *options], cwd=where, env=environment, capture_output=True, text=True, check=False)


def report(target: Path, contract: str, faults: Mapping[str, str]) -> list[str]:
    """The broken import lines that the contract reports for the faults, the package being clean otherwise."""
    plant(target, faults)
    done = lint(target, "--contract", contract)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{CONTRACTS[contract]['name']} BROKEN" in done.stdout
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


@pytest.mark.proves("R-HOUSE-CONTRACTS")
def test_the_package_keeps_every_contract() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.proves("R-HOUSE-CONTRACTS")
def test_floors_bite_for_every_pair(tmp_path: Path) -> None:
    lines = report(tmp_path, "floors", floor_faults())
    above: list[str] = []
    for floor in floors():
        for index, name in enumerate(floor):
            for other in (*above, *floor[index + 1 :]):
                assert f"conspectus.{name} is not allowed to import conspectus.{other}:" in lines
        above.extend(floor)


def stages() -> list[str]:
    """The stages: the neighbours of the contract on the inside of the assembly."""
    widest = max(CONTRACTS["stages"]["layers"], key=len)
    return [name.strip(" ()") for name in widest.split("|")]


@pytest.mark.proves("R-HOUSE-CONTRACTS")
def test_stages_bite_when_one_imports_the_next(tmp_path: Path) -> None:
    names = stages()
    pairs = list(zip(names, [*names[1:], names[0]], strict=True))
    faults = {f"assembly/{name}.py": f"{DOC}import conspectus.assembly.{other}\n" for name, other in pairs}
    lines = report(tmp_path, "stages", faults)
    for name, other in pairs:
        assert f"conspectus.assembly.{name} is not allowed to import conspectus.assembly.{other}:" in lines


@pytest.mark.proves("R-HOUSE-CONTRACTS")
def test_stages_bite_when_a_module_has_no_place(tmp_path: Path) -> None:
    plant(tmp_path, {"assembly/planted.py": DOC})
    done = lint(tmp_path, "--contract", "stages")
    assert done.returncode == 1
    assert "assembly.planted" in done.stdout + done.stderr


@pytest.mark.proves("R-HOUSE-CONTRACTS")
def test_stair_bites_when_a_door_enters_a_stage(tmp_path: Path) -> None:
    protected = CONTRACTS["stair"]["protected_modules"]
    fault = DOC + "".join(f"import {module}\n" for module in protected)
    lines = report(tmp_path, "stair", {"interfaces/planted.py": fault})
    for module in protected:
        assert any(line.startswith(f"- conspectus.interfaces.planted -> {module} ") for line in lines), module


@pytest.mark.proves("R-HOUSE-CONTRACTS")
def test_pure_bites_for_every_module_of_the_world(tmp_path: Path) -> None:
    forbidden, pure = CONTRACTS["pure"]["forbidden_modules"], CONTRACTS["pure"]["source_modules"]
    fault = DOC + "".join(f"import {name}\n" for name in forbidden)
    places = [module.removeprefix("conspectus.") for module in pure]
    lines = report(tmp_path, "pure", {f"{place}/planted.py": fault for place in places})
    for place in pure:
        for name in forbidden:
            assert f"{place} is not allowed to import {name}:" in lines


@pytest.mark.proves("R-HOUSE-CONTRACTS")
def test_face_bites_when_somebody_inside_imports_it(tmp_path: Path) -> None:
    lines = report(tmp_path, "face", {"core/planted.py": DOC + "import conspectus\n"})
    assert any(line.startswith("- conspectus.core.planted -> conspectus ") for line in lines)


@pytest.mark.proves("R-HOUSE-CONTRACTS")
def test_circles_bite_at_any_depth(tmp_path: Path) -> None:
    faults = {
        "text/planted.py": DOC + "import conspectus.text.planted_too\n",
        "text/planted_too.py": DOC + "import conspectus.text.planted\n",
    }
    lines = report(tmp_path, "circles", faults)
    assert any("planted" in line for line in lines)


def test_every_contract_has_a_fault_that_it_is_shown_to_catch() -> None:
    shown = {name.split("_")[1] for name in globals() if name.startswith("test_") and "bite" in name}
    assert shown == set(CONTRACTS)
