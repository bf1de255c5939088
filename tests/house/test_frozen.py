"""What passes between the floors cannot be changed by who holds it: frozen, slotted, nothing mutable inside."""

import dataclasses
import importlib
import inspect
import pkgutil
import re

import pytest

from conspectus import core
from conspectus.core.item import Kind
from conspectus.core.manifest import Ledger
from conspectus.core.spec import Budget
from tests.contract.cases import data, small_case

MODULES = [importlib.import_module(module.name) for module in pkgutil.iter_modules(core.__path__, "conspectus.core.")]
VALUES = sorted(
    {
        what
        for module in MODULES
        for _, what in inspect.getmembers(module, dataclasses.is_dataclass)
        if isinstance(what, type) and what.__module__ == module.__name__
    },
    key=lambda what: what.__qualname__,
)
MUTABLE = re.compile(r"\b(list|dict|set|bytearray|object|Mapping|Mutable\w+|Callable)\b", re.IGNORECASE)


def changeable(value: type) -> list[str]:
    """What somebody who holds a value could change: the value itself, or a field of a type that is not immutable."""
    parameters = vars(value)["__dataclass_params__"]
    found = [] if parameters.frozen else ["not frozen"]
    found += [] if "__slots__" in vars(value) else ["takes new attributes"]
    fields = [(field.name, str(field.type), field.kw_only) for field in dataclasses.fields(value)]
    return [
        *found,
        *(f"{name}: {kind}" for name, kind, _ in fields if MUTABLE.search(kind)),
        *(f"{name} has no name at the call" for name, _, named in fields if not named),
    ]


@pytest.mark.proves("R-VALUE-FROZEN")
@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.__qualname__)
def test_a_value_and_all_it_holds_is_immutable(value: type) -> None:
    assert changeable(value) == []


def test_the_columns_of_a_manifest_are_immutable_too() -> None:
    items = [data(f"kb/{number}", Kind.EVIDENCE, f"refund {number} " * 9) for number in range(900)]
    ledger = small_case(items, budget=Budget(window=9_000, input_limit=900)).run().manifest.decisions
    assert isinstance(ledger, Ledger)
    assert ledger.runs
    with pytest.raises(ValueError, match="read-only"):
        ledger.runs[0].scores[0, 0] = 7.0
    with pytest.raises(AttributeError):
        ledger.singles = ()


def test_what_can_be_changed_is_seen() -> None:
    @dataclasses.dataclass
    class Open:
        names: list[str]

    assert changeable(Open) == [
        "not frozen",
        "takes new attributes",
        "names: list[str]",
        "names has no name at the call",
    ]
    assert {"ContextItem", "ContextSpec", "Payload", "ContextManifest", "Decision"} <= {
        each.__name__ for each in VALUES
    }
