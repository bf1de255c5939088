"""Packing: the most value under a budget, over columns of numbers; it knows no item, no text and no tokenizer."""
