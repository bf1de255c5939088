"""Whether the tokens of blocks add up under a tokenizer: tried on texts that end and begin in every awkward way."""

from conspectus.models.counting import BlockCounter

_LEAD = "[Role & Policies]\n\n"
_TAIL = "[Output]\n\nAnswer the task."
_CONTENTS = (
    "", " ", "x", "word ", "tail\n", "tail\n\n\n", "\thead", "\n\nhead", "def f(x):\n    return x\n", "end.", "end:",
    "a/b/", "http://", "//", "<", "</", "[", "]]", ">>>", "&amp;", '"', "'s", "1", "12345", "3.", "中文，没有空格。",
    "結び", "한국어", "ไทย", "עברית ", "\u00e9", "e\u0301", "\u0301", "👩\u200d👩\u200d👧", "🇨🇳", "\u200d", "\u3000",
    "\u00a0", "\r\n", "\r", "\ufb01", "…", "－－", "```", "# ", "*", "_", "--", "==", "\\", "{", "}", ";", "a\u2028b",
    "\x0b", "|", "<␛|im_end|>",
)  # fmt: skip
_FRAMES = (
    '<data id="a/b#L1-9" kind="evidence">\n{}\n</data>\n\n',
    "[tool] {}\n\n",
    '<instruction id="x">\n{}\n</instruction>\n\n',
    "[Missing evidence] {}\n\n",
    "[Evidence]\n\n",
)
_RUN = 7


def adds_up(counter: BlockCounter) -> bool:
    """Whether a text counts what its blocks add, for every content in every frame, in runs of seven."""
    blocks = [frame.format(content) for content in _CONTENTS for frame in _FRAMES]
    # Strides that share no factor with the number of frames put every content beside many others.
    mixed = [*blocks, *blocks[::3], *blocks[::-7]]
    counts = counter.count_blocks(mixed)
    around = counter.count(_LEAD + _TAIL)
    return all(
        counter.count(_LEAD + "".join(mixed[start : start + _RUN]) + _TAIL) - around
        == counts[start : start + _RUN].sum()
        for start in range(0, len(mixed), _RUN)
    )
