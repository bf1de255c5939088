"""Whether what a system made of a fixture is right, and what it did otherwise; it runs nothing."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from torture.fixtures import Fixture

TOLERANCE = 0.02
_CONFLICT = re.compile("conflict|contradict", re.IGNORECASE)
_CUT = re.compile(r"truncat|shortened|compress|omitted|elided|left out|\.\.\.|…", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a system handed over.

    Attributes:
        text: everything the model would read.
        messages: the turns, where it hands over turns.
        claimed: tokens it says that is, where it says so.
        error: why it refused or broke, or empty.
        inapplicable: why the question does not fit the system, or empty.
        benign: the text for the same input without the forged strings, where that was run.
        again: the text of a second run under another hash seed, where that was run.
        fence: strings that are structure in what it writes.
    """

    text: str = ""
    messages: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    claimed: int | None = None
    error: str = ""
    inapplicable: str = ""
    benign: str = ""
    again: str = ""
    fence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """`right`, `wrong` or `n/a`, and in a few words why."""

    verdict: str
    why: str = ""


Counter: TypeAlias = Callable[[str], int]
RIGHT = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a check looks at."""

    fixture: Fixture
    outcome: Outcome
    count: Counter


Check: TypeAlias = Callable[[Trial], str]


def judge(fixture: Fixture, outcome: Outcome, count: Counter) -> Judgement:
    """Say what became of the fixture; `count` gives the exact o200k tokens of a text."""
    if outcome.inapplicable:
        return Judgement(verdict="n/a", why=outcome.inapplicable)
    if outcome.error and fixture.check != "refuse":
        return Judgement(verdict="wrong", why=f"fails: {outcome.error}"[:90])
    why = CHECKS[fixture.check](Trial(fixture=fixture, outcome=outcome, count=count))
    if why.startswith("n/a "):
        return Judgement(verdict="n/a", why=why[4:])
    return Judgement(verdict="wrong" if why else "right", why=why)


def _fits(trial: Trial) -> str:
    true = trial.count(trial.outcome.text)
    if true > trial.fixture.budget:
        return f"{true:,} tokens for a budget of {trial.fixture.budget:,}"
    if trial.outcome.claimed is not None and abs(trial.outcome.claimed - true) > max(TOLERANCE * true, 8):
        return f"claims {trial.outcome.claimed:,}, is {true:,}"
    return RIGHT


def _fits_with(trial: Trial) -> str:
    return _fits(trial) or _present(trial)


def _present(trial: Trial) -> str:
    lost = [needle for needle in trial.fixture.needles if needle not in trial.outcome.text]
    if not lost:
        return RIGHT
    flat = " ".join(trial.outcome.text.split())
    altered = all(" ".join(needle.split()) in flat for needle in lost)
    return "line breaks are destroyed" if altered else f"{len(lost)} of {len(trial.fixture.needles)} not shown"


def _is_hidden(trial: Trial) -> bool:
    """Whether the item the fixture is about was not chosen at all."""
    return str(trial.fixture.data["items"][0]["text"]).partition(".")[0] not in trial.outcome.text


def _absent(trial: Trial) -> str:
    if _is_hidden(trial):
        return "n/a the item was not chosen"
    return "left as they are" if any(needle in trial.outcome.text for needle in trial.fixture.needles) else RIGHT


def _control(trial: Trial) -> str:
    if trial.outcome.messages:
        return "n/a hands on turns; the template decides"
    return _absent(trial)


def _once(trial: Trial) -> str:
    times = trial.outcome.text.count(trial.fixture.needles[0])
    return RIGHT if times == 1 else f"said {times} times"


def _flagged(trial: Trial) -> str:
    if any(needle not in trial.outcome.text for needle in trial.fixture.needles):
        return "one side is dropped"
    return RIGHT if _CONFLICT.search(trial.outcome.text) else "both shown, nothing says they disagree"


def _fence(trial: Trial) -> str:
    if not trial.outcome.fence or _is_hidden(trial):
        return "n/a has no frame" if not trial.outcome.fence else "n/a the item was not chosen"
    forged = [mark for mark in trial.outcome.fence if trial.outcome.text.count(mark) > trial.outcome.benign.count(mark)]
    return f"forges {forged[0]!r}" if forged else RIGHT


def _not_system(trial: Trial) -> str:
    if not trial.outcome.messages:
        return "n/a gives one text"
    spoken = [turn for turn in trial.outcome.messages if turn.get("role") == "system"]
    return (
        "in the system turn" if any(trial.fixture.needles[0] in str(turn.get("content")) for turn in spoken) else RIGHT
    )


def _refuse(trial: Trial) -> str:
    if trial.outcome.error:
        return RIGHT
    true = trial.count(trial.outcome.text)
    if true > trial.fixture.budget:
        return f"hands over {true:,} tokens for {trial.fixture.budget:,}"
    return RIGHT if trial.fixture.needles[0] in trial.outcome.text else "cuts or drops the instructions"


def _cut_told(trial: Trial) -> str:
    start, end = (needle in trial.outcome.text for needle in trial.fixture.needles)
    if start and not end and not _CUT.search(trial.outcome.text):
        return "cut without a word"
    return _fits(trial)


def _needs(trial: Trial) -> str:
    child, parent = (needle in trial.outcome.text for needle in trial.fixture.needles)
    return "comes in without what it needs" if child and not parent else RIGHT


def _same(trial: Trial) -> str:
    return RIGHT if trial.outcome.text == trial.outcome.again else "another text every time"


def _orphans(trial: Trial) -> str:
    calls = {call["id"] for turn in trial.outcome.messages for call in turn.get("tool_calls") or ()}
    results = {turn["tool_call_id"] for turn in trial.outcome.messages if turn.get("role") == "tool"}
    if calls != results:
        return f"{len(results - calls)} results without call, {len(calls - results)} calls without result"
    true = trial.count(trial.outcome.text)
    return f"{true:,} tokens for a budget of {trial.fixture.budget:,}" if true > trial.fixture.budget else RIGHT


CHECKS: Mapping[str, Check] = {
    "fits": _fits,
    "fits_with": _fits_with,
    "present": _present,
    "ranks": _present,
    "absent": _absent,
    "control": _control,
    "once": _once,
    "flagged": _flagged,
    "fence": _fence,
    "not_system": _not_system,
    "refuse": _refuse,
    "cut_told": _cut_told,
    "needs": _needs,
    "same": _same,
    "orphans": _orphans,
}
