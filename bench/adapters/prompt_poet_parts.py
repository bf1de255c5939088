"""prompt-poet, one part of a template for each candidate, the least valuable truncated first."""

import yaml
from prompt_poet import Prompt


def prepare(request):
    """The call renders, tokenizes and truncates."""
    items = sorted(request["items"], key=lambda item: item["value"])
    priority = {item["id"]: len(items) - number for number, item in enumerate(items)}
    parts = [{"name": "request", "role": "user", "content": request["question"]}]
    for number, item in enumerate(request["items"]):
        name = f"p{number}"
        part = {"name": name, "role": "user", "content": f"{{{{ escape_special_characters({name}) }}}}"}
        parts.append({**part, "truncation_priority": priority[item["id"]]})
    template = yaml.safe_dump(parts, sort_keys=False, width=1_000_000)
    data = {f"p{number}": item["text"] for number, item in enumerate(request["items"])}

    def call():
        prompt = Prompt(raw_template=template, template_data=data, tiktoken_encoding_name="cl100k_base")
        prompt.tokenize()
        prompt.truncate(token_limit=request["budget"], truncation_step=1)
        return {
            "messages": [[message["role"], message["content"]] for message in prompt.messages],
            "claimed": len(prompt.tokens),
        }

    return call
