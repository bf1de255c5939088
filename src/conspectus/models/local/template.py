"""A chat template, rendered as `transformers` and the servers after it render one; it counts nothing."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn, TypeAlias

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from conspectus.errors import IncompatibleSpec, InputError

Turn: TypeAlias = dict[str, Any]

_FAILURES = (TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


class _Generation(Extension):
    """The tag `{% generation %}`, which marks what a model is trained on and writes nothing itself."""

    tags = {"generation"}  # noqa: RUF012 - the name and type are jinja2's

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body).set_lineno(line)


class ChatTemplate:
    """One Jinja chat template and the few things it may ask for by name.

    A template that asks for today's date gets `moment`, never the clock; one that asks when no moment was given is
    refused.
    """

    def __init__(self, source: str, specials: Mapping[str, str], moment: datetime | None, path: str) -> None:
        """Compile the template.

        Args:
            source: the Jinja text.
            specials: such as `bos_token`.
            moment: the time of the call, with time zone, or None.
            path: where it came from, for errors.

        Raises:
            InputError: it is no Jinja template.
        """
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
        )
        environment.filters["tojson"] = _to_json
        self.source = source
        self._specials = dict(specials)
        self._moment = moment
        self._dates: set[str] = set()
        try:
            self._template = environment.from_string(
                source, globals={"raise_exception": _refuse, "strftime_now": self._date}
            )
        except TemplateError as error:
            raise InputError(path, f"holds a chat template that is no Jinja: {error}") from error

    @property
    def dated(self) -> str:
        """The dates it has written so far, of the moment it was given; empty where it writes none."""
        return ",".join(sorted(self._dates))

    def render(self, turns: Sequence[Turn], tools: Sequence[Turn]) -> str:
        """The text the model's server makes of these turns, up to where the model begins to speak.

        Raises:
            IncompatibleSpec: the template refuses them, or fails on them.
        """
        try:
            return self._template.render(
                messages=list(turns), tools=list(tools) or None, documents=None, add_generation_prompt=True,
                **self._specials,
            )  # fmt: skip
        except _FAILURES as error:
            raise IncompatibleSpec("chat template", f"it cannot write this conversation: {error}") from error

    def _date(self, form: str) -> str:
        if self._moment is None:
            raise IncompatibleSpec("moment", "this chat template writes the date; say which by giving the moment")
        date = self._moment.strftime(form)
        self._dates.add(date)
        return date


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as `transformers` writes it: letters as they are, no escapes for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)
