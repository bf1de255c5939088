"""Manifests as files: written whole, read strictly, found by path or request id; what they say is for inspection."""

import re
import stat
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import msgspec

from conspectus.core.call import Form
from conspectus.core.manifest import SCHEMA_VERSION, ContextManifest, Decision, Ledger
from conspectus.errors import Corrupt, InputError
from conspectus.storage.atomic import read_whole, storage_errors, write_whole
from conspectus.storage.home import Home

SHORTEST_REFERENCE = 6
"""Characters of a request id that suffice where they mean one manifest only."""

_INDENTED_BYTES = 1 << 20
_REQUEST_ID = re.compile(r"[0-9a-f]{6,64}")
_FIELD = re.compile(r" - at `\$\.?(?P<field>[^`]*)`$")
_ABSENT = re.compile(r"Object missing required field `(?P<field>[^`]+)`")
_BYTE = re.compile(r"\(byte (?P<place>\d+)\)")


class _Version(msgspec.Struct, frozen=True):
    schema_version: int = 0


def encode_manifest(manifest: ContextManifest) -> bytes:
    """The manifest as JSON with every field in a fixed order; indented up to one mebibyte, compact beyond."""
    compact = msgspec.json.encode(manifest, enc_hook=_rows)
    return (msgspec.json.format(compact, indent=1) if len(compact) <= _INDENTED_BYTES else compact) + b"\n"


def decode_manifest(data: bytes, path: str) -> ContextManifest:
    """The manifest in `data`; `path` names it in errors.

    Raises:
        Corrupt: it has a newer schema.
        InputError: it is no manifest; the field or line is named.
    """
    try:
        _check_version(data, path)
        manifest = msgspec.json.decode(data, type=ContextManifest)
    except msgspec.ValidationError as error:
        raise _invalid(path, str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _malformed(path, data, str(error)) from error
    _check_sense(manifest, path)
    return replace(manifest, decisions=tuple(manifest.decisions))


def write_manifest(home: Home, manifest: ContextManifest) -> Path:
    """Keep the manifest under its request id; the file it is in.

    Raises:
        InputError: its request id could not be a name.
        StorageError: it could not be written; an older one of the same call is still whole.
    """
    if not _REQUEST_ID.fullmatch(manifest.request_id):
        raise InputError("manifest", "6 to 64 hexadecimal digits are wanted", field="request_id")
    home.prepare()
    path = _place(home, manifest.request_id)
    write_whole(path, encode_manifest(manifest))
    return path


def read_manifest(home: Home, reference: str) -> ContextManifest:
    """The manifest meant by a path or a request id, which may be shortened.

    Raises:
        InputError: there is none, or more than one, or the file at the path is no manifest.
        Corrupt: it has a newer schema, or it is damaged and part of the state.
    """
    path = find_manifest(home, reference)
    try:
        return decode_manifest(read_whole(path), str(path))
    except InputError as error:
        if path.parent != home.manifests:
            raise
        raise Corrupt(str(path), f"is damaged ({error.field}: {error.message})") from error


def find_manifest(home: Home, reference: str) -> Path:
    """The file meant by a path or a request id, which may be shortened to six characters where that is unique.

    Raises:
        InputError: there is none, or more than one.
    """
    if _leads_to_file(reference):
        return Path(reference)
    with storage_errors(home.manifests):
        if _REQUEST_ID.fullmatch(reference) is None:
            raise InputError(reference or "MANIFEST", "is neither a file nor 6 or more digits of a request id")
        exact = _place(home, reference)
        if exact.exists():
            return exact
        names = sorted(home.manifests.glob(f"{reference}*.json")) if home.manifests.exists() else []
    if len(names) == 1:
        return names[0]
    if names:
        raise InputError(reference, f"may mean {_listed(names)}; write more of the id")
    raise InputError(reference, f"no such manifest in {home.manifests}; give a path, or the --home it is in")


def _leads_to_file(reference: str) -> bool:
    """Whether there is something at this path to be read: a file, a pipe, a device."""
    try:
        return not stat.S_ISDIR(Path(reference).stat().st_mode)
    except (OSError, ValueError):
        return False


def _place(home: Home, request_id: str) -> Path:
    return home.manifests / f"{request_id}.json"


def _listed(paths: Sequence[Path]) -> str:
    shown = ", ".join(path.stem for path in paths[:3])
    return shown if len(paths) <= 3 else f"{shown} and {len(paths) - 3} more"


def _rows(value: object) -> list[Decision]:
    """Decisions that are kept as columns, row by row."""
    if isinstance(value, Ledger):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no place in a manifest")


def _check_version(data: bytes, path: str) -> None:
    """Refuse newer schemas and unknown fields before anything else is looked at."""
    version = msgspec.json.decode(data, type=_Version).schema_version
    if version > SCHEMA_VERSION:
        raise Corrupt(path, f"has schema version {version}, this installation knows {SCHEMA_VERSION}; use a newer one")
    if version != SCHEMA_VERSION:
        raise InputError(path, f"has no known schema version; {SCHEMA_VERSION} is current", field="schema_version")
    fields = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    unknown = sorted(fields.keys() - set(ContextManifest.__dataclass_fields__))
    if unknown:
        raise InputError(path, "is no field of a manifest", field=unknown[0])


def _check_sense(manifest: ContextManifest, path: str) -> None:
    """What types cannot say: the id is an id, the moment a moment, the hash the spec's, the sum the sum."""
    if not _REQUEST_ID.fullmatch(manifest.request_id):
        raise InputError(path, "6 to 64 hexadecimal digits are wanted", field="request_id")
    if manifest.format not in tuple(Form):
        raise InputError(path, f"{manifest.format!r} is none of {', '.join(Form)}", field="format")
    if not _has_zone(manifest.assembled_at):
        raise InputError(path, "a moment in ISO 8601 with a time zone is wanted", field="assembled_at")
    if manifest.spec.hash != manifest.spec_hash:
        raise InputError(path, "is not the hash of the spec beside it; the manifest was changed", field="spec_hash")
    parts = sum(item.tokens for item in manifest.items) + manifest.scaffold_tokens + manifest.join_tokens
    if parts != manifest.input_tokens:
        raise InputError(path, f"{manifest.input_tokens:,}, but its parts add up to {parts:,}", field="input_tokens")


def _has_zone(moment: str) -> bool:
    try:
        return datetime.fromisoformat(moment).tzinfo is not None
    except ValueError:
        return False


def _invalid(path: str, message: str) -> InputError:
    place, absent = _FIELD.search(message), _ABSENT.match(message)
    names = [found["field"] for found in (place, absent) if found]
    reason = "is missing" if absent else message[: place.start()] if place else message
    return InputError(path, f"{reason}; this is no manifest", field=".".join(names))


def _malformed(path: str, data: bytes, message: str) -> InputError:
    found = _BYTE.search(message)
    line = data[: int(found["place"])].count(b"\n") + 1 if found else None
    return InputError(path, f"is no JSON: {message}", line=line)
