"""`conspectus models`: the profiles, whether they count exactly, and their limits."""

import click

from conspectus.interfaces.cli.machine import dump
from conspectus.interfaces.cli.options import inspecting
from conspectus.interfaces.cli.page import BLANK, Column, Page, Span, Table, Tone, line, span
from conspectus.interfaces.cli.show import report
from conspectus.models.registry import Listing, list_profiles

HELP = """List the model profiles: exact or estimated, limits, revision.

Beside these, a folder with `tokenizer.json` and a chat template, or a .gguf file, is a profile by its path, and exact.
As text (`--format text`) every profile counts exactly that has its model's own vocabulary: nothing is framed.

\b
Example:
  conspectus assemble "…" --model ~/models/qwen2.5-7b --format openai
"""


@click.command("models", help=HELP)
@inspecting
def command(*, home: object, as_json: bool) -> None:  # noqa: ARG001 - every command takes --home
    """List, show."""
    listings = list_profiles()
    if as_json:
        dump(listings)
    else:
        report(page(listings))


def page(listings: tuple[Listing, ...]) -> Page:
    """The page of all profiles."""
    columns = (Column(title="profile"), Column(title="chat counts"), Column(title="window", right=True),
               Column(title="output", right=True), Column(title="revision", fold=True))  # fmt: skip
    rows = tuple(
        (
            _name(each),
            span(each.exactness if not each.margin else f"{each.exactness} +{each.margin:.0%}", _tone(each)),
            span(f"{each.limits.window:,}", Tone.NUMBER),
            span(f"{each.limits.output:,}", Tone.NUMBER),
            span(each.missing or _revision(each)[1], Tone.WARNING if each.missing else Tone.FAINT),
        )
        for each in listings
    )
    note = line(
        span("Any folder with tokenizer.json and a chat template, or a .gguf file, is an exact profile.", Tone.FAINT)
    )
    return [Table(columns=columns, rows=rows), BLANK, note]


def _name(each: Listing) -> tuple[Span, ...]:
    """The profile, and the model it stands for where that has another name."""
    model, _ = _revision(each)
    own = each.name.rpartition("/")[2] in (model, model.casefold().partition(" ")[0])
    return (span(each.name, Tone.NAME), span("" if own or each.missing else f" → {model}", Tone.FAINT))


def _revision(each: Listing) -> tuple[str, str]:
    """Model and what tells its revisions apart."""
    model, _, revision = each.revision.replace("/", "@").rpartition("@")
    return model, revision


def _tone(each: Listing) -> Tone:
    return Tone.GOOD if each.exactness == "exact" else Tone.CHANGED
