"""What `--json` prints: the value of an inspection as JSON on stdout; no wording."""

from conspectus.core.canonical import canonical_bytes
from conspectus.interfaces.cli.show import deliver


def dump(value: object) -> None:
    """Print `value` as canonical JSON and a line break; raises StorageError."""
    deliver(f"{canonical_bytes(value).decode()}\n")
