"""The options that several commands share, and how their values are read; no command of its own."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
"""A path that is looked at when it is read, so that a missing file is bad input and no usage error."""

_DEBUG = f"{__name__}.debug"


def read_moment(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime | None:
    """The moment of an option; a usage error says how to write it."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is no ISO 8601 moment; write it as 2026-11-30T12:00:00Z") from error
    if moment.tzinfo is None:
        raise click.BadParameter(f"{value!r} has no time zone; append Z for UTC, or an offset such as +08:00")
    return moment


def _remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True


def debugging(ctx: click.Context) -> bool:
    """Whether --debug was given, to the command or before it."""
    return bool(ctx.meta.get(_DEBUG))


debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, callback=_remember, help="Show the traceback of an error."
)
home_option = click.option(
    "--home", type=FILE, metavar="FOLDER", help="Where manifests, archive and count cache live. [default: .conspectus]"
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines instead.")
manifest_argument = click.argument("manifest", metavar="MANIFEST")


def inspecting(function: Function) -> Function:
    """The options of every command that looks at a manifest."""
    for option in (debug_option, home_option, json_option):
        function = option(function)
    return function


def asking(function: Function) -> Function:
    """The options that say who asks."""
    options = (
        click.option("--group", "groups", multiple=True, metavar="G", help="A group of the caller; may be repeated."),
        click.option("--tenant", default="local", show_default=True, metavar="T", help="The caller's tenant."),
        click.option("--as", "principal", default="operator", show_default=True, metavar="PRINCIPAL", help="Who asks."),
    )
    for option in options:
        function = option(function)
    return function
