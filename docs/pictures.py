"""Draws the pictures of the pages: what three commands show of this repository in a terminal; it decides nothing there.

`python -m docs.pictures` draws them anew; `python -m docs.pictures --width 80 FOLDER` draws them elsewhere to look at.
"""

import dataclasses
import shutil
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.terminal_theme import TerminalTheme

from conspectus import Caller
from conspectus.inspection.difference import difference
from conspectus.inspection.why import why
from conspectus.interfaces.cli import coloured, diff, models, summary
from conspectus.interfaces.cli import why as told
from conspectus.interfaces.cli.page import Line, Page, Tone, line, span
from conspectus.models.registry import list_profiles
from conspectus.workspace import Brief, Workspace

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
WIDTH = 100
NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
QUESTION = "When is the count of a profile exact, and what does an estimate add?"
POLICY = "CONTRIBUTING.md"
SUBJECT = "models/profile.py"

_THEME = TerminalTheme(
    (17, 20, 26),
    (216, 220, 228),
    [(40, 44, 52), (232, 104, 74), (97, 202, 140), (230, 180, 60), (91, 143, 249), (176, 139, 187), (96, 196, 214),
     (190, 196, 206)],
    [(128, 136, 150), (240, 128, 100), (120, 220, 160), (244, 200, 90), (120, 165, 255), (200, 165, 210),
     (120, 212, 228), (240, 242, 246)],
)  # fmt: skip
# Text is laid out by the terminal's cells, so that any font of fixed width will do; none is loaded from anywhere.
_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; white-space: pre;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def pages() -> dict[str, Page]:
    """The page of each picture by its name: about the source of this repository, at a fixed moment."""
    with tempfile.TemporaryDirectory() as folder, Workspace.open(Path(folder) / "state") as workspace:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        asked = Brief(question=QUESTION, folders=(source,), instructions=(ROOT / POLICY,), input_limit=6_000)
        before = workspace.assemble(asked, Caller(), NOW).manifest
        freed = dataclasses.replace(asked, instructions=(), input_limit=5_500)
        after = workspace.assemble(freed, Caller(), NOW).manifest
    first, second = before.request_id[:6], after.request_id[:6]
    asking = typed(f'assemble "{QUESTION}" --in src --instructions {POLICY} --input-limit 6000 > context.txt')
    return {
        "assemble": (asking, *summary.summary(before)),
        "why": (typed(f"why {first} {SUBJECT}"), *told.page(why(before, SUBJECT))),
        "diff": (typed(f"diff {first} {second}"), *diff.page(difference(before, after), before, after)),
        "models": (typed("models"), *models.page(list_profiles())),
    }


def typed(command: str) -> Line:
    """The line that a person typed."""
    return line(span("$ ", Tone.FAINT), span(f"conspectus {command}"))


def drawn(page: Page, name: str, width: int) -> str:
    """A page as the SVG of a terminal of `width` cells."""
    console = coloured.console(width, colour=True, record=True)
    coloured.render(page, console)
    title = f"conspectus {name}"
    svg = console.export_svg(title=title, theme=_THEME, code_format=_FORMAT, unique_id=title.replace(" ", "-"))
    return "\n".join(text.rstrip() for text in svg.splitlines()) + "\n"


def main(arguments: Sequence[str]) -> None:
    """Draw every picture."""
    width, folder = (int(arguments[1]), Path(arguments[2])) if arguments else (WIDTH, FOLDER)
    for name, page in pages().items():
        if arguments or name != "models":
            (folder / f"{name}.svg").write_text(drawn(page, name, width), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
