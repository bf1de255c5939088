"""Patterns compiled when they are first used; it holds no pattern of its own.

Compiling one takes milliseconds, and most runs need few of them: text in ASCII does without Unicode properties.
"""

import re
from functools import cache

import regex


@cache
def compiled(pattern: str) -> regex.Pattern[str]:
    """Return `pattern`, in the syntax of `regex` version 1 with Unicode properties, ready for use."""
    return regex.compile(pattern, regex.VERSION1)


@cache
def plain(pattern: str) -> re.Pattern[str]:
    """Return `pattern`, in the syntax of the standard library, ready for use; it is the faster one."""
    return re.compile(pattern)
