"""The tree of errors is drawn as it is; what an error says is judged where it is raised."""

import inspect
import re
from collections.abc import Iterator

from conspectus import errors
from conspectus.errors import ContextError

MODULE = errors.__name__
FAMILIES = {"SpecError", "AssemblyError", "ReplayError", "StorageError", "ToolError", "ModelError", "InputError"}


def tree() -> dict[str, type]:
    """Every error of the module by name."""
    return {name: what for name, what in inspect.getmembers(errors, inspect.isclass) if what.__module__ == MODULE}


def drawn() -> Iterator[tuple[str, str]]:
    """Pairs of an error and the one above it, as the docstring draws them."""
    assert errors.__doc__
    for line in errors.__doc__.splitlines():
        if branch := re.match(r"[├└]── (\w+) *(.*)", line):
            family, below = branch.groups()
            yield family, "ContextError"
            yield from ((name, family) for name in below.split(" · ") if " " not in name and name)


def test_the_tree_is_drawn_as_it_is() -> None:
    assert errors.__doc__
    assert "\nContextError\n" in errors.__doc__
    real = {(name, what.__base__.__name__) for name, what in tree().items() if what.__base__ and name != "ContextError"}
    assert [name for name, what in tree().items() if not issubclass(what, ContextError)] == []
    assert set(drawn()) == real
    assert {name for name, above in real if above == "ContextError"} == FAMILIES
