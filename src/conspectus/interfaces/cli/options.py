"""The options that several commands share, and how their values are read; no command of its own."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from conspectus.errors import InputError

Function = TypeVar("Function", bound=Callable[..., Any])


class _Place(click.Path):
    """A path that is looked at when it is read, so that a missing file is bad input and no usage error."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - as click declares it
        """The path; no name at all would be the current folder, which nobody meant."""
        if value == "":
            option = param.opts[0] if param else "PATH"
            wanted = (param.metavar if param else "") or "FILE"
            raise InputError(option, f"is empty: name a {wanted.lower()}, or leave the option out")
        return super().convert(value, param, ctx)


FILE = _Place(path_type=Path, readable=False)
WITHIN = _Place(readable=False)
"""A path inside a folder that another option names."""

_DEBUG = f"{__name__}.debug"


def read_moment(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime | None:
    """The moment of an option; a usage error says how to write it."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            moment.astimezone(UTC)
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is no ISO 8601 moment; write it as 2026-11-30T12:00:00Z") from error
    except OverflowError as error:
        raise click.BadParameter(f"{value!r} lies outside the years 1 to 9999 of UTC; name another moment") from error
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
