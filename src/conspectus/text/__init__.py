"""Pure analysis of text: words, graphemes, likeness, differences and sanitising; no IO and no opinion about relevance."""
