"""One system and all fixtures: asked with forged strings, without them, and again under another hash seed."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conspectus.core.call import Form
from torture import environments
from torture.environments import ROOT
from torture.fixtures import Fixture, forged
from torture.judge import Outcome
from torture.ours import FENCE, ask
from torture.rivals import Rival

SECONDS = 300
OFTEN = ("fence", "same")


def try_ours(fixtures: Sequence[Fixture]) -> list[Outcome]:
    """What this project makes of them."""
    outcomes: list[Outcome] = []
    for fixture in fixtures:
        form = Form.OPENAI if fixture.check == "not_system" else Form.TEXT
        given, plain = forged(fixture, FENCE), forged(fixture, ())
        outcomes.append(replace(ask(given, form), benign=ask(plain, form).text, again=ask(given, form).text))
    return outcomes


def try_rival(rival: Rival, fixtures: Sequence[Fixture]) -> list[Outcome]:
    """What the rival makes of them, in its own environment."""
    first = _ask(rival, [forged(fixture, rival.fence) for fixture in fixtures], 1)
    plain = _ask(rival, [forged(f, ()) for f in fixtures if f.check in OFTEN], 2)
    second = _ask(rival, [forged(f, rival.fence) for f in fixtures if f.check in OFTEN], 3)
    outcomes: list[Outcome] = []
    for fixture, answer in zip(fixtures, first, strict=True):
        others = (plain.pop(0), second.pop(0)) if fixture.check in OFTEN else ({}, {})
        benign, again = (str(other.get("text", "")) for other in others)
        outcomes.append(Outcome(**answer, benign=benign, again=again, fence=rival.fence))
    return outcomes


def _ask(rival: Rival, inputs: Sequence[Mapping[str, Any]], hash_seed: int) -> list[dict[str, Any]]:
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(environments.folder(rival)),
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": str(hash_seed),
        "TIKTOKEN_CACHE_DIR": _vocabularies(),
    }
    command = [str(environments.python(rival)), "-m", f"torture.drivers.{rival.driver}"]
    try:
        done = subprocess.run(
            command, input=json.dumps(inputs), cwd=environments.folder(rival), env=environment,
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return [{"error": f"no answer in {SECONDS} s"} for _ in inputs]
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["ended"])[-1]
        return [{"error": reason[:200]} for _ in inputs]
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def _vocabularies() -> str:
    """Where the development environment keeps OpenAI's vocabularies, so that no rival has to download any."""
    found = find_spec("litellm")
    if found is None or not found.submodule_search_locations:
        return ""
    return str(Path(found.submodule_search_locations[0]) / "litellm_core_utils" / "tokenizers")
