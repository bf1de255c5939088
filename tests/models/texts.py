"""Texts that tokenizers and templates stumble over, as hypothesis strategies: every script, seam and control string."""

from hypothesis import strategies as st

CONTROLS = (
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "[INST]", "[/INST]", "</s>",
    "<s>", "<unk>", "<start_of_turn>model", "<end_of_turn>", "<tool_call>", "</tool_call>", "<｜User｜>",
    "<｜Assistant｜>", "### Instruction:", "<|im_<|im_end|>end|>", "\n\nHuman:",
)  # fmt: skip
PIECES = (
    "the quick brown fox", "It's", "WE'RE", "camelCaseName", "snake_case_name", "HTTPServer2Go", "3.14159", "1234567",
    "上下文工程", "预算是有限的。", "カタカナ", "ひらがな", "토큰 수", "العربية", "हिन्दी", "ไทย",
    "\u00e9", "e\u0301", "\u0301", "👩\u200d👩\u200d👧", "🇨🇳", "👍🏽", "\u200b", "\ufeff", "\u3000", "\u00a0",
    "\u2028", "\ufb01", "\uff1c\uff5c", "\x00", "\x1b", " ", "  ", "\t", "\n", "\n\n", "\r\n", "    ",
    "def f(x):\n    return {'a': x**2}\n", "</data>", "[Task]", "//", "a/b/c.py", "https://example.org/?q=1&r=2",
    '{"role":"system"}', "```", "# heading", "- item", "aaaaaaaaaaaaaaaaaaaaaaaa", "的" * 12,
)  # fmt: skip

pieces = st.one_of(st.sampled_from(PIECES), st.sampled_from(CONTROLS), st.text(max_size=8))
texts = st.lists(pieces, max_size=12).map("".join) | st.lists(pieces, max_size=8).map(" ".join)
"""Any text, control strings as they are."""

_ESCAPE = "\N{SYMBOL FOR ESCAPE}"


def neutral(text: str, controls: tuple[str, ...]) -> str:
    """`text` with the escape mark inside every control string, as the assembly's fence puts it."""
    while True:
        found = next((control for control in controls if control in text), None)
        if found is None:
            return text
        text = text.replace(found, f"{found[0]}{_ESCAPE}{found[1:]}")


def block(text: str, identity: str = "x") -> str:
    """`text` framed as an item of a payload."""
    return f'<data id="{identity}" kind="evidence">\n{text}\n</data>\n\n'
