"""The tests; tests/README.md tells which folder proves what."""
