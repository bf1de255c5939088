"""The fast engine for OpenAI's encodings, quicktok; loaded when there is much to count, trusted when checked."""

import quicktok


class QuickEngine:
    """quicktok behind our protocol. Loading its tables takes long; counting is then the fastest."""

    def __init__(self, encoding: str) -> None:
        """Load the vocabulary that comes with the package.

        Args:
            encoding: `o200k_base` or `cl100k_base`.
        """
        tables = quicktok.Tokenizer(encoding, "")
        self.count = tables.count
        self.encode = tables.encode_ordinary
