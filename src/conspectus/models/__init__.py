"""Model profiles: tokenizer, chat template, wire form and limits; one provider a file."""
