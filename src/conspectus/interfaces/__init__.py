"""The doors: they parse, make one call and show; they decide nothing about a context."""
