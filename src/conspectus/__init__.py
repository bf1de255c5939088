"""The face of conspectus: the few names a caller needs, and nothing that anybody inside may import."""

__all__: list[str] = []
