"""The same call gives the same bytes, whatever the order of candidates, hash seed, time zone or locale; and again."""

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.assembly.replay import replay
from conspectus.core.call import Caller
from conspectus.core.item import ContextItem
from conspectus.errors import MandatoryDenied, ReplayDrift
from tests.contract.batch import LOCALES, MANIFESTS, SEEDS, fingerprint, shuffled
from tests.contract.cases import CALLER, Case, assembled, cases, same_cases

ROOT = Path(__file__).parents[2]


@pytest.mark.proves("R-CONTRACT-DETERMINISM", "R-HOUSE-DETERMINISM")
@same_cases
@given(case=cases(hostile=True), order=st.integers(0, 1 << 30))
def test_the_order_of_candidates_and_sources_changes_nothing(case: Case, order: int) -> None:
    assert fingerprint(shuffled(case, random.Random(order)).outcome()) == fingerprint(case.outcome())


@pytest.mark.proves("R-CONTRACT-REPLAY", "R-SHOW-ACCOUNT")
@same_cases
@given(case=cases(hostile=True), order=st.integers(0, 1 << 30))
def test_a_manifest_is_replayed_to_the_same_bytes(case: Case, order: int) -> None:
    assembly = assembled(case)
    candidates = random.Random(order).sample(assembly.candidates, len(assembly.candidates))
    again = replay(assembly.manifest, candidates, case.request, case.profile, case.caller)
    assert again.payload == assembly.payload
    assert again.manifest.items == assembly.manifest.items
    assert again.manifest.request_id == assembly.manifest.request_id


@pytest.mark.proves("R-DOOR-REPLAY", "R-STEP-AUTHORIZE")
@same_cases
@given(case=cases())
def test_replay_is_refused_to_a_caller_who_may_not_read_it(case: Case) -> None:
    assembly = assembled(case)
    sent = {record.id for record in assembly.manifest.items}
    for other in (Caller(principal="eve", tenant="acme10"), Caller(principal="zoe", tenant="acme")):
        barred = {item.item_id for item in assembly.candidates if not is_open_to(item, other)}
        if barred & sent:
            with pytest.raises(MandatoryDenied) as denied:
                replay(assembly.manifest, assembly.candidates, case.request, case.profile, other)
            assert not any(name in str(denied.value) for name in sent)
        else:
            replay(assembly.manifest, assembly.candidates, case.request, case.profile, other)


def is_open_to(item: ContextItem, caller: Caller) -> bool:
    return item.tenant == caller.tenant and (not item.readers or bool(item.readers & caller.names))


@pytest.mark.proves("R-CONTRACT-REPLAY")
@given(case=cases(most=5))
def test_replay_of_other_candidates_is_a_drift(case: Case) -> None:
    assembly = assembled(case)
    sent = {record.id for record in assembly.manifest.items} - {"request/1", "instruction/rules"}
    missing = [item for item in assembly.candidates if item.item_id not in sent]
    if sent:
        with pytest.raises(ReplayDrift):
            replay(assembly.manifest, missing, case.request, case.profile, CALLER)


@pytest.mark.proves("R-CONTRACT-DETERMINISM", "R-HOUSE-DETERMINISM", "R-CASE-D17", "R-SHOW-ACCOUNT")
def test_a_thousand_manifests_are_the_same_under_every_seed_zone_and_locale() -> None:
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = list(pool.map(lambda given: run_batch(*given), [(s, name) for s in SEEDS for name in LOCALES]))
    merged: dict[str, set[str]] = {}
    for lines in runs:
        for line in lines:
            number, digest = line.split()
            merged.setdefault(number, set()).add(digest)
    assert len(merged) == MANIFESTS
    assert [number for number, digests in merged.items() if len(digests) > 1] == []


def run_batch(hash_seed: int, locale: str) -> list[str]:
    """What one fresh interpreter makes of its part of the manifests."""
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "LC_ALL": locale, "TZ": "UTC"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.contract.batch", str(hash_seed), locale],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()
