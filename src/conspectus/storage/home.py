"""The state folder: where manifests, archive and caches lie, and whether they may be touched; it reads none of them."""

from pathlib import Path

import msgspec

from conspectus.errors import Corrupt, InputError, StorageError
from conspectus.storage.atomic import read_whole, storage_errors, sweep, sync_folder, write_whole

STATE_VERSION = 1
"""Version of the layout of the folder; its files have versions of their own."""

_STATE = "state.json"
_IGNORE = ".gitignore"
_OWN_ONLY = 0o700


class Home:
    """A state folder, made on the first write and refused when it is not one that this version wrote.

    Attributes:
        path: the folder.
        manifests: folder of manifests, one file each.
        archive: the database of archived content.
        cache: the database of what can be computed again; its version is part of its name, so that none is refused.
    """

    def __init__(self, path: Path) -> None:
        """Look at the folder without changing anything.

        Raises:
            Corrupt: the state is damaged or of a newer version.
            StorageError: it cannot be read, or is taken by something that is no folder.
        """
        self.path = path
        self.manifests = path / "manifests"
        self.archive = path / "conspectus.db"
        self.cache = path / "cache-1.db"
        self._ready = False
        with storage_errors(path):
            self._check()

    def prepare(self) -> None:
        """Make the folder what it has to be before anything is written into it; a second call does nothing.

        Raises:
            StorageFull: there is no room.
            StorageError: it cannot be written.
        """
        if self._ready:
            return
        with storage_errors(self.path):
            self.path.mkdir(mode=_OWN_ONLY, parents=True, exist_ok=True)
            sync_folder(self.path.parent)
            if not any(self.path.iterdir()):
                write_whole(self.path / _IGNORE, b"*\n")
            if not (self.path / _STATE).exists():
                write_whole(self.path / _STATE, msgspec.json.encode({"schema_version": STATE_VERSION}) + b"\n")
            self.manifests.mkdir(mode=_OWN_ONLY, exist_ok=True)
            sync_folder(self.path)
        sweep(self.path)
        sweep(self.manifests)
        self._ready = True

    def _check(self) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise StorageError(f"{self.path}: is no folder; give a folder for the state, or a name that is free")
        for part in (self.manifests, self.archive, self.cache, self.path / _STATE):
            if part.is_symlink():
                raise Corrupt(str(part), "is a link, and a state holds none")
        if self.manifests.exists() and not self.manifests.is_dir():
            raise Corrupt(str(self.manifests), "is no folder")
        state = self.path / _STATE
        if state.exists():
            _check_version(state)
        elif self.manifests.exists() or self.archive.exists():
            raise Corrupt(str(self.path), f"holds a state, but {_STATE} is gone")


class _State(msgspec.Struct, frozen=True):
    schema_version: int


def _check_version(path: Path) -> None:
    try:
        found = msgspec.json.decode(read_whole(path, limit=1 << 16), type=_State).schema_version
    except (msgspec.ValidationError, msgspec.DecodeError, InputError) as error:
        raise Corrupt(str(path), f"is damaged ({error})") from error
    if found > STATE_VERSION:
        raise Corrupt(str(path), f"is of version {found} and this installation knows {STATE_VERSION}; use a newer one")
    if found < STATE_VERSION:
        raise Corrupt(str(path), f"says version {found}, which never was")
