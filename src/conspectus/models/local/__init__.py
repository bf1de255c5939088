"""Open models from files: rendered and tokenized as the model's own server does it; needs the extra `local`."""
