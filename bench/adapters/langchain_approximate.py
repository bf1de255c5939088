"""langchain-core's trim_messages with the approximate counter it ships."""

import langchain_exact
from langchain_core.messages.utils import count_tokens_approximately


def prepare(request):
    """The call over alternating turns."""
    return langchain_exact.prepare(request, count_tokens_approximately)
