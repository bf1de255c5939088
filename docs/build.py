"""Writes what the pages take from the code: the manifest's JSON Schema and the snippets; it writes no sentence itself.

`python -m docs.build` brings them up to date, `python -m docs.build --check` names what is not, and writes nothing.

A snippet is a file that runs in the tests. A page takes it in by naming it above a fenced block:

    <!-- snippet: docs_src/first_call.py -->
    ```python
    (replaced by the file's text, its module docstring left out)
    ```
"""

import ast
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from conspectus.core.manifest import SCHEMA_VERSION, ContextManifest

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "docs" / "schemas" / f"manifest-v{SCHEMA_VERSION}.json"
SNIPPET = re.compile(r"(<!-- snippet: (?P<path>\S+) -->\n\n?```\w*\n)(?P<text>.*?)(```)", re.DOTALL)


def manifest_schema() -> dict[str, Any]:
    """The JSON Schema of a manifest as it is written: every field of every object is there."""
    schema = msgspec.json.schema(ContextManifest)
    for definition in schema["$defs"].values():
        if definition.get("type") == "object" and "properties" in definition:
            definition["required"] = list(definition["properties"])
    schema["$defs"]["ContextManifest"]["properties"]["schema_version"] = {"const": SCHEMA_VERSION}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A manifest of conspectus, schema version {SCHEMA_VERSION}",
        **schema,
    }


def snippet(path: Path) -> str:
    """The text of a snippet's file without its module docstring, ending in one newline."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text.strip("\n") + "\n"
    first = ast.parse(text).body[0]
    lines = text.splitlines(keepends=True)
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return "".join(lines[first.end_lineno :] if has_docstring else lines).strip("\n") + "\n"


def with_snippets(page: str, root: Path) -> str:
    """A page with the current text of every snippet that it names; raises FileNotFoundError for one that is gone."""
    return SNIPPET.sub(lambda found: found[1] + snippet(root / found["path"]) + found[4], page)


def pages(root: Path) -> Iterator[Path]:
    """Every Markdown page that may take in a snippet."""
    yield from sorted(root.glob("*.md"))
    yield from sorted((root / "docs").rglob("*.md"))


def built(root: Path) -> dict[Path, str]:
    """Every file that this script writes, with the text that it should have."""
    schema = json.dumps(manifest_schema(), indent=2, ensure_ascii=False) + "\n"
    texts = {page: page.read_text(encoding="utf-8") for page in pages(root)}
    return {SCHEMA: schema} | {page: with_snippets(text, root) for page, text in texts.items() if SNIPPET.search(text)}


def main(arguments: Sequence[str]) -> int:
    """Write or check every built file; 1 where a check finds one that is out of date."""
    stale = [
        (path, text)
        for path, text in built(ROOT).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        print(path.relative_to(ROOT))
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
