"""Generated text that mixes what is hard to analyse: scripts, cases, marks, joiners, line ends, stray code points."""

from hypothesis import strategies as st

WORDS = [
    "get_user_name",
    "getUserName",
    "HTTPServer",
    "parseJSON",
    "v2",
    "x86_64",
    "__init__",
    "self",
    "return",
    "URLs",
    "IPv6",
    "a",
    "A",
    "_",
    "__",
    "0x1F",
    "3.14",
    "os.path.join",
    "user-agent",
    "C++",
    "README.md",
    "naïve",
    "café",
    "Straße",
    "ΣΊΣΥΦΟΣ",
    "Привет",
    "ИмяКласса",
    "İstanbul",
    "ǅ",
]
CJK = [
    "数据库",
    "是",
    "用户名",
    "的",
    "データー",
    "ひらがな",
    "한국어",
    "㐀",
    "𠀀𠀁",
    "ＡＢＣ１２３",
    "ｶﾞｷﾞ",
    "々〇",
    "ㄅㄆ",
    "葛\U000e0100城",
]
MARKS = ["e\u0301", "\u0301", "か\u3099", "हिन्दी", "สวัสดี", "می\u200cخواهم", "각", "한", "שָׁלוֹם", "\u0301" * 40]
SYMBOLS = [
    "👨\u200d👩\u200d👧",
    "🇩🇪🇫🇷",
    "❤\ufe0f",
    "1\ufe0f\u20e3",
    "👍🏽",
    "🏴\U000e0067\U000e0062\U000e007f",
    "½",
    "²",
    "…",
    "™",
    "ﬁ",
    "´",
]
GAPS = [
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    "，",
    "。",
    "_",
    "-",
    ".",
    "/",
    "\u3000",
    "\u00a0",
    "\u200b",
    "\x00",
    "\ud800",
    "\ufeff",
]

pieces = st.sampled_from(WORDS + CJK + MARKS + SYMBOLS + GAPS) | st.text(max_size=4)
mixed_text = st.lists(pieces, max_size=24).map("".join)
plain_text = st.lists(st.sampled_from(WORDS + CJK + GAPS), max_size=24).map("".join)
"""Text without marks: what the vectorised engines read without asking the reference."""
