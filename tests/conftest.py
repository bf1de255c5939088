"""How every test runs: hypothesis profiles and marks by folder; fixtures of an area live with the area."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

CONTRACT = Path(__file__).parent / "contract"

# A busy machine draws slowly; that is no fault of the test, so the too-slow check is off everywhere.
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}

settings.register_profile("quick", max_examples=20, derandomize=True, **COMMON)
settings.register_profile("default", max_examples=100, derandomize=True, **COMMON)
settings.register_profile("full", max_examples=1_000, derandomize=True, **COMMON)
settings.register_profile("soak", max_examples=10_000, **COMMON)
settings.load_profile("default")


def profile_for(path: Path, chosen: str | None) -> str:
    """The profile in force while one file's tests are defined; one chosen on the command line wins."""
    if chosen:
        return chosen
    return "full" if path.is_relative_to(CONTRACT) else "default"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Load the folder's profile while a module is imported: that is when `@given` reads its settings."""
    if not isinstance(collector, pytest.Module):
        return (yield)
    chosen = collector.config.getoption("--hypothesis-profile")
    settings.load_profile(profile_for(collector.path, chosen))
    try:
        return (yield)
    finally:
        settings.load_profile(chosen or "default")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lives in tests/contract, so that `-m contract` means exactly that folder."""
    for item in items:
        if item.path.is_relative_to(CONTRACT):
            item.add_marker(pytest.mark.contract)
