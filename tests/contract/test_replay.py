"""The same call gives the same bytes, whatever the order of candidates, hash seed, time zone or locale; and again."""

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given

from conspectus.assembly.replay import replay
from conspectus.core.call import Caller
from conspectus.core.item import ContextItem
from conspectus.errors import MandatoryDenied, ReplayDrift
from tests.contract.batch import LOCALES, MANIFESTS, SEEDS, fingerprint, shuffled
from tests.contract.cases import CALLER, Case, assembled, cases, same_cases

ROOT = Path(__file__).parents[2]


@pytest.mark.proves("R-CONTRACT-DETERMINISM", "R-HOUSE-DETERMINISM")
@same_cases
@given(case=cases())
def test_the_order_of_candidates_and_sources_changes_nothing(case: Case) -> None:
    assert fingerprint(shuffled(case, random.Random(case.number)).outcome()) == fingerprint(case.outcome())


@pytest.mark.proves("R-CONTRACT-REPLAY", "R-SHOW-ACCOUNT")
@same_cases
@given(case=cases())
def test_a_manifest_is_replayed_to_the_same_bytes(case: Case) -> None:
    assembly = assembled(case)
    candidates = random.Random(case.number).sample(assembly.candidates, len(assembly.candidates))
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


def is_open_to(item: ContextItem, caller: Caller) -> bool:
    return item.tenant == caller.tenant and (not item.readers or bool(item.readers & caller.names))


@pytest.mark.proves("R-CONTRACT-REPLAY")
@same_cases
@given(case=cases())
def test_replay_of_other_candidates_is_a_drift(case: Case) -> None:
    assembly = assembled(case)
    sent = {record.id for record in assembly.manifest.items} - {"request/1", "instruction/rules"}
    missing = [item for item in assembly.candidates if item.item_id not in sent]
    if sent:
        with pytest.raises(ReplayDrift):
            replay(assembly.manifest, missing, case.request, case.profile, CALLER)


@pytest.mark.proves("R-CONTRACT-DETERMINISM", "R-HOUSE-DETERMINISM", "R-CASE-D17", "R-SHOW-ACCOUNT")
def test_a_thousand_manifests_are_the_same_in_two_of_the_settings_each() -> None:
    assert spread("turns") == {2}


@pytest.mark.soak
@pytest.mark.proves("R-CONTRACT-DETERMINISM", "R-HOUSE-DETERMINISM")
def test_a_thousand_manifests_are_the_same_in_all_settings() -> None:
    assert spread("every") == {len(SEEDS) * len(LOCALES)}


def spread(part: str) -> set[int]:
    """In how many settings each manifest was made, once all of them are known to agree."""
    settings = [(hash_seed, locale, part) for hash_seed in SEEDS for locale in LOCALES]
    with ThreadPoolExecutor(max_workers=2) as pool:
        lines = [line for batch in pool.map(run_batch, settings) for line in batch]
    digests: dict[str, list[str]] = {}
    for line in lines:
        number, digest = line.split()
        digests.setdefault(number, []).append(digest)
    assert len(digests) == MANIFESTS
    assert [number for number, found in digests.items() if len(set(found)) > 1] == []
    return {len(found) for found in digests.values()}


def run_batch(setting: tuple[int, str, str]) -> list[str]:
    """What one fresh interpreter makes of its part of the manifests."""
    hash_seed, locale, part = setting
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "LC_ALL": locale}
    done = subprocess.run(
        [sys.executable, "-m", "tests.contract.batch", str(hash_seed), locale, part],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()
