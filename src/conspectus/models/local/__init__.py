"""Open models from a folder or a GGUF file: their own tokenizer and chat template, rendered as their server does."""
