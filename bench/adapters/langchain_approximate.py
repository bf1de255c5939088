"""langchain-core's trim_messages with the approximate counter it ships."""

from collections.abc import Callable
from typing import Any

import langchain_exact
from langchain_core.messages.utils import count_tokens_approximately

Record = dict[str, Any]


def prepare(request: Record) -> Callable[[], Record]:
    """The call over alternating turns."""
    return langchain_exact.prepare(request, count_tokens_approximately)
