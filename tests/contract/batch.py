"""A thousand assemblies in fresh interpreters, a line of digest each, for the determinism tests of test_replay."""

import os
import random
import sys
import time
from dataclasses import replace

from conspectus.assembly.assemble import Assembly
from conspectus.core.canonical import text_hash
from conspectus.errors import ContextError
from tests.contract.cases import ALL_FORMS, ALL_MEASURES, Case, case_from

SEEDS = tuple(range(8))
ZONES = ("UTC", "Asia/Kathmandu", "America/St_Johns")
LOCALES = ("C", "C.UTF-8")
MANIFESTS = 1_000
TURNS = 8


def fingerprint(outcome: Assembly | ContextError) -> str:
    """Everything that has to be the same: the body, every record, and every decision in any order."""
    if not isinstance(outcome, Assembly):
        return text_hash(f"{type(outcome).__name__} {outcome}")
    manifest = outcome.manifest
    decisions = sorted(map(repr, manifest.decisions))
    stays = replace(manifest, decisions=())
    return text_hash(f"{outcome.payload!r} {stays!r} {decisions!r}")


def shuffled(case: Case, chance: random.Random) -> Case:
    """The same call with the candidates of each source, and the sources, in another order."""
    sources = [replace(s, items=tuple(chance.sample(s.items, len(s.items)))) for s in case.sources]
    return replace(case, sources=tuple(chance.sample(sources, len(sources))), memo={})


def numbered(number: int) -> Case:
    """The case of a number, the same in every interpreter."""
    chance = random.Random(number)
    numbers = [chance.getrandbits(80) for _ in range(chance.randrange(3, 9))]
    setting = chance.getrandbits(24)
    return case_from(numbers, setting, hostile=bool(number % 2), forms=ALL_FORMS, measures=ALL_MEASURES)


def main() -> None:
    """Print the digests of this interpreter's part; `every` manifest, or those that are its turn."""
    hash_seed, locale, every = int(sys.argv[1]), LOCALES.index(sys.argv[2]), sys.argv[3] == "every"
    for number in range(MANIFESTS):
        if every or (number + len(LOCALES) * hash_seed + locale) % TURNS == 0:
            os.environ["TZ"] = ZONES[(number + hash_seed) % len(ZONES)]
            time.tzset()
            case = shuffled(numbered(number), random.Random(hash_seed))
            sys.stdout.write(f"{number} {fingerprint(case.outcome())}\n")


if __name__ == "__main__":
    main()
