"""What `--json` prints: the value of an inspection as JSON on stdout; no wording."""

import sys

from conspectus.core.canonical import canonical_bytes


def dump(value: object) -> None:
    """Print `value` as canonical JSON and a line break."""
    sys.stdout.flush()
    sys.stdout.buffer.write(canonical_bytes(value) + b"\n")
    sys.stdout.buffer.flush()
