"""prompt-poet, one part of a template for each candidate, the least valuable truncated first."""

import json
from collections.abc import Callable
from typing import Any

from prompt_poet import Prompt

Record = dict[str, Any]


def prepare(request: Record) -> Callable[[], Record]:
    """The call renders, tokenizes and truncates."""
    items = sorted(request["items"], key=lambda item: item["value"])
    priority = {item["id"]: len(items) - number for number, item in enumerate(items)}
    lines = [f"- name: request\n  role: user\n  content: {_quoted(request['question'])}"]
    for number, item in enumerate(request["items"]):
        lines.append(f"- name: p{number}\n  role: user\n  truncation_priority: {priority[item['id']]}")
        lines.append(f"  content: {_quoted(item['text'])}")
    template = "\n".join(lines)

    Prompt(raw_template="- name: warm\n  role: user\n  content: warm", template_data={}).tokenize()

    def call() -> Record:
        prompt = Prompt(raw_template=template, template_data={}, tiktoken_encoding_name="cl100k_base")
        prompt.tokenize()
        prompt.truncate(token_limit=request["budget"], truncation_step=1)
        return {
            "messages": [[message["role"], message["content"]] for message in prompt.messages],
            "claimed": len(prompt.tokens),
        }

    return call


def _quoted(text: str) -> str:
    """A YAML string that its template language leaves alone."""
    return f"{{% raw %}}{json.dumps(text, ensure_ascii=False)}{{% endraw %}}"
