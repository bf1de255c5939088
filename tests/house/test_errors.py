"""The tree of errors is drawn as it is, and every error of it carries fields and says what to do next."""

import inspect
import re
from collections.abc import Iterator

import pytest

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


@pytest.mark.proves("R-HOUSE-ERRORS")
def test_the_tree_is_drawn_as_it_is() -> None:
    assert errors.__doc__
    assert "\nContextError\n" in errors.__doc__
    real = {(name, what.__base__.__name__) for name, what in tree().items() if what.__base__ and name != "ContextError"}
    assert [name for name, what in tree().items() if not issubclass(what, ContextError)] == []
    assert set(drawn()) == real
    assert {name for name, above in real if above == "ContextError"} == FAMILIES


SAMPLES: tuple[ContextError, ...] = (
    errors.UnknownRevision("profile", "gpt-9", ("o200k",)),
    errors.IncompatibleSpec("output reserve", "-1 tokens; it cannot be negative"),
    errors.MandatoryOverflow(9, 5, [("request", 9)], [("input limit", 9)]),
    errors.MandatoryDenied("items"),
    errors.MissingDependency("a", ["b"]),
    errors.BlobMissing("0" * 64, "file/a"),
    errors.ReplayDrift("0" * 64, "1" * 64),
    errors.Conflict("note/a", "3"),
    errors.Corrupt("state.json", "is damaged"),
    errors.StorageFull("state.json"),
    errors.NotPermitted("rm", "it deletes"),
    errors.ApprovalRequired("0" * 64, "rm -r build deletes 3 files"),
    errors.ToolFailed("grep", "no such pattern"),
    errors.ToolTimeout("grep", 2.5),
    errors.ModelUnavailable("the count endpoint", "cannot be reached"),
    errors.IncompleteReply("gpt-9", "the stream ended"),
    errors.UsageMismatch(100, 120, 0.05),
    errors.InputError("items.jsonl", "is no JSON", line=3, field="signals"),
)
NEXT_STEP = re.compile(
    r"\b(add|approve|ask|assemble|choose|drop|give|known|make room|mend|raise|read it again|replay|restore|shorten)\b"
)
# Their words come from whoever raises them; the next step is theirs to name.
WORDED_BY_THE_CALLER = (errors.InputError, errors.IncompatibleSpec, errors.ModelUnavailable)


@pytest.mark.proves("R-HOUSE-ERRORS")
def test_every_error_that_can_be_raised_has_a_sample() -> None:
    families = {name for name in FAMILIES | {"ContextError"} if name != "InputError"}
    assert {type(error).__name__ for error in SAMPLES} == tree().keys() - families


@pytest.mark.proves("R-HOUSE-ERRORS")
@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_carries_typed_fields_and_says_what_to_do_next(error: ContextError) -> None:
    documented = set(re.findall(r"^ {4,8}(\w+(?:, \w+)*): ", type(error).__doc__ or "", re.MULTILINE))
    fields = {name for names in documented for name in names.split(", ")}
    assert fields
    assert fields <= vars(error).keys()
    given = inspect.signature(type(error)).parameters.values()
    assert [name.name for name in given if name.annotation is inspect.Parameter.empty] == []
    assert str(error)
    assert "\n" not in str(error).partition(":")[0]
    if not isinstance(error, WORDED_BY_THE_CALLER):
        assert NEXT_STEP.search(str(error)), str(error)


@pytest.mark.proves("R-HOUSE-ERRORS")
def test_an_input_error_says_where() -> None:
    error = errors.InputError("items.jsonl", "is outside 0..1", line=3, field="signals.prior")
    assert str(error) == "items.jsonl:3: signals.prior: is outside 0..1"
    assert (error.path, error.line, error.field, error.message) == (
        "items.jsonl",
        3,
        "signals.prior",
        "is outside 0..1",
    )
