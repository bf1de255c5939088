"""The one place where an optional engine is loaded by name; it knows no engine's interface."""

from importlib import import_module
from types import ModuleType

from conspectus.errors import ModelUnavailable


def load_engine(module: str, extra: str) -> ModuleType:
    """The module `module`.

    Raises:
        ModelUnavailable: it is not installed; names the extra that brings it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModelUnavailable(f"{error.name} is not installed; install conspectus[{extra}]") from error
