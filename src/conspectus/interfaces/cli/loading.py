"""The one place where a part of the command line is loaded by name, when it is needed and not before."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from types import ModuleType

import click


def load(module: str) -> ModuleType:
    """A module of this folder."""
    return import_module(f"conspectus.interfaces.cli.{module}")


class Commands(MutableMapping[str, click.Command]):
    """Commands by name, each made by its module the first time it is asked for.

    A command's module has the command's name and calls the command `command`.
    """

    def __init__(self, abouts: Mapping[str, str]) -> None:
        self._abouts = dict(abouts)
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._abouts:
            raise KeyError(name)
        if name not in self._loaded:
            self._loaded[name] = load(name).command
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._abouts[name] = command.get_short_help_str()
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._abouts[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._abouts)

    def __len__(self) -> int:
        return len(self._abouts)
