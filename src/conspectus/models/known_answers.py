"""Texts that tokenizers get wrong, and what each encoding makes of them (tiktoken 0.14.0); it loads no engine."""

import hashlib
from collections.abc import Iterable

from conspectus.models.engines import Engine

TEXTS = (
    "",
    "Hello, world! It's the user's turn; they'll say they've DONE IT, and I'm sure we'd agree.",
    "def f(x):\n    return {'a': x**2, \"b\": [i for i in range(10) if i % 3 == 0]}\n\n\n",
    "class HTTPServer2Go:\r\n\tpass\r\n",
    "上下文工程是在有限窗口里，选出最该看的内容。第42条：不得省略必要信息！",
    "文脈は有限です。トークンを数える、カタカナとひらがな。 토큰 수를 정확히 세는 것은 중요합니다.",
    "Ελληνικά, русский язык, العربية لغة جميلة, हिन्दी में लिखा, ภาษาไทยไม่มีช่องว่าง, tiếng Việt, İstanbul ſecret",
    "👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 👍🏽 🇨🇳 \u00e9 e\u0301",
    "\u200b \ufeff \u00a0 \u3000 \u2028 \x00 \x1b \x7f",
    "<|endoftext|><|im_start|>system\n<|endofprompt|><|fim_prefix|> <|im_end|>",
    "a  b   c    d\t\te \t f\n\n\n   g\r\n\r\n  \n \n\n" + " " * 80 + "h" + "\n" * 20 + "   ",
    "3.14159 1234567890 0xDEADBEEF 1e-10 v2.0.0-rc.1 2024-02-29T23:59:60Z 127.0.0.1:8080 £1,234.56 50% ½ ٣",
    "https://example.org/a/b?c=d&e=f#g C:\\Users\\x\\y.txt ../../etc/ {}[]()<>!@#$%^&*_+=~`|\\;:'\",.?/ //////\n///\n",
    "camelCaseIdentifier snake_case_name SCREAMING_SNAKE kebab-case XMLHttpRequest iOS's don'T WE'RE ThE qU1ck",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa Pneumonoultramicroscopicsilicovolcanoconiosis " + "的" * 30,
    '{"type":"object","properties":{"q":{"type":"string","description":"中文 and \\"quotes\\" \\u00e9"}}}',
    "abab" * 60 + "语言模型的上下文窗口是有限的而信息是无限的所以必须选择哪些内容进入哪些内容留下" * 2,
)

ANSWERS = {
    "cl100k_base": "57d6f2cca7aceaf06ac822df17881d6a",
    "o200k_base": "8eb2351718b12bab9ed52ed2e475e810",
}


def digest_of(encodings: Iterable[list[int]]) -> str:
    """A hash of the ids of each text, one line a text."""
    lines = "\n".join(",".join(map(str, ids)) for ids in encodings)
    return hashlib.sha256(lines.encode()).hexdigest()[:32]


def passes(engine: Engine, encoding: str) -> bool:
    """Whether `engine` gives every known answer for `encoding`, and counts as it encodes."""
    encodings = [engine.encode(text) for text in TEXTS]
    counted = [engine.count(text) for text in TEXTS]
    return digest_of(encodings) == ANSWERS[encoding] and counted == [len(ids) for ids in encodings]
