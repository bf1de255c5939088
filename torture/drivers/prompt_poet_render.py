"""Asks prompt-poet: one part an item, truncated by priority."""

from collections.abc import Mapping
from typing import Any

import tiktoken
import yaml
from prompt_poet import Prompt

from torture.drivers.wire import serve, spoken


def ask(given: Mapping[str, Any]) -> dict[str, Any]:
    """Render and truncate to the budget."""
    parts = [{"name": "rules", "role": "system", "content": given["instructions"]}]
    for number, item in enumerate(given["items"]):
        priority = max(1, int((1 - item["relevance"]) * 100))
        parts.append(
            {"name": f"item{number}", "role": "user", "content": item["text"], "truncation_priority": priority}
        )
    parts.append({"name": "question", "role": "user", "content": given["question"]})
    template = "{% raw %}" + yaml.safe_dump(parts, allow_unicode=True, sort_keys=False, width=10_000) + "{% endraw %}"
    encode = tiktoken.get_encoding("o200k_base").encode
    prompt = Prompt(
        raw_template=template,
        template_data={},
        token_limit=given["budget"],
        truncation_step=1,
        encode_func=lambda text: encode(text, disallowed_special=()),
    )
    prompt.tokenize()
    prompt.truncate()
    return {"text": spoken(prompt.messages), "messages": prompt.messages, "claimed": len(prompt.tokens)}


if __name__ == "__main__":
    serve(ask, chat=False, pack=True)
