"""A conversation as units that enter whole: read from OpenAI's or Anthropic's shape, repaired, and offered as items."""
