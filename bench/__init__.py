"""Speed as figures: CPU seconds, ratios inside one run, growth with size; nothing here is a test."""
