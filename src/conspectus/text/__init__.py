"""Pure analysis of text: words, graphemes, likeness, differences, sanitising; no IO and no opinion on relevance."""
