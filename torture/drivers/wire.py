"""How a driver talks: a list of inputs on standard input, a list of outcomes on standard output; nothing but JSON."""

import contextlib
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Answer = Mapping[str, Any]
Asker = Callable[[Mapping[str, Any]], Answer]


BY_RELEVANCE = frozenset({"needs", "flagged", "once", "ranks"})
BY_BUDGET = frozenset({"fits", "fits_with", "cut_told", "refuse", "orphans"})


def serve(ask: Asker, *, chat: bool, pack: bool, foreign: frozenset[str] = frozenset({"needs"})) -> None:
    """Answer every input but those of a `foreign` check, of a thing the system does not claim to do.

    What the system prints is swallowed, what it raises is its answer.
    """
    answers = [_answer(ask, given, (chat, pack), foreign) for given in json.load(sys.stdin)]
    sys.stdout.write(json.dumps(answers))


def _answer(ask: Asker, given: Mapping[str, Any], takes: tuple[bool, bool], foreign: frozenset[str]) -> Answer:
    chat, pack = takes
    if given["kind"] == "chat" and not chat:
        return {"inapplicable": "takes no turns"}
    if given["kind"] == "pack" and not pack:
        return {"inapplicable": "takes turns only"}
    if given["check"] in foreign:
        return {"inapplicable": "does not claim to"}
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return ask(given)
    except Exception as error:  # noqa: BLE001 - whatever another project raises is its answer
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def spoken(messages: Sequence[Mapping[str, Any]]) -> str:
    """The text of turns, arguments of calls included."""
    parts: list[str] = []
    for turn in messages:
        content = turn.get("content") or ""
        parts.append(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
        parts.extend(f"{c['function']['name']} {c['function']['arguments']}" for c in turn.get("tool_calls") or ())
    return "\n".join(parts)


def turns(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fixture as turns: its own, or rules, one turn an item, and the question."""
    if given["kind"] == "chat":
        return list(given["messages"])
    middle = [{"role": "user", "content": item["text"]} for item in given["items"]]
    return [
        {"role": "system", "content": given["instructions"]},
        *middle,
        {"role": "user", "content": given["question"]},
    ]
