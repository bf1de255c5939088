"""Fixtures of the doors; what they are made of is in `door`."""

from tests.interfaces.door import shop

__all__ = ["shop"]
