"""Counts and chunk boundaries of earlier calls; what is new is held back until an assembly has succeeded."""

from collections.abc import Mapping, Sequence

from conspectus.storage.cache import KeyValueCache


class Memory:
    """A cache for one call: reads from the state folder, and writes there only when it is told to."""

    def __init__(self, cache: KeyValueCache) -> None:
        self._cache = cache
        self._fresh: dict[str, dict[str, bytes]] = {}

    def load(self, revision: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        """What is known under `revision` for any of `keys`."""
        fresh = self._fresh.get(revision, {})
        asked = [key for key in dict.fromkeys(keys) if key not in fresh]
        kept = self._cache.load(revision, [key.encode() for key in asked])
        found = {key: value for key, value in zip(asked, kept, strict=True) if value is not None}
        return {**found, **{key: fresh[key] for key in keys if key in fresh}}

    def save(self, revision: str, entries: Mapping[str, bytes]) -> None:
        """Hold entries back until `keep`."""
        self._fresh.setdefault(revision, {}).update(entries)

    def keep(self) -> None:
        """Write everything that is new; what cannot be written is reported by the cache, never an error."""
        for revision, entries in self._fresh.items():
            self._cache.save(revision, [(key.encode(), value) for key, value in entries.items()])
        self._fresh.clear()
