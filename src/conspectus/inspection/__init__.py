"""Questions to a manifest, answered by pure functions; nothing here reads a file or decides about a payload."""
