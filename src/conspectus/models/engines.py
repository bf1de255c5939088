"""Loads a part that may not be installed, or says which extra brings it; it does not choose between parts."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Protocol

from conspectus.errors import ModelUnavailable


class Engine(Protocol):
    """Counts and encodes text with one vocabulary; control strings are text to it."""

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        ...

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, none of them a control id."""
        ...


def load_part(module: str, *, extra: str, packages: Sequence[str]) -> ModuleType:
    """The module `module` of this house, which needs `packages`.

    Raises:
        ModelUnavailable: one of `packages` is not installed; the message names the extra to install.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in packages:
            raise
        wanted = f"'conspectus[{extra}]'" if extra else "conspectus again"
        raise ModelUnavailable(str(error.name), f"is not installed; install {wanted}") from error
