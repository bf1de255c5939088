"""Relevance: what a question's words and a text's place say about how much the one needs the other; pure, no model."""
