"""The nouns of conspectus: frozen values without input, output, clock or randomness."""
