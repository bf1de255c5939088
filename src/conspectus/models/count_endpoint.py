"""Anthropic's own count of a body, over HTTPS; it holds the key and shows it to nobody else."""

import urllib.error
import urllib.request
from collections.abc import Callable

import msgspec

from conspectus.errors import IncompatibleSpec, ModelUnavailable

ADDRESS = "https://api.anthropic.com"
_PATH = "/v1/messages/count_tokens"
_VERSION = "2023-06-01"
_MOST_BYTES = 1 << 20


class _Counted(msgspec.Struct, frozen=True):
    input_tokens: int


def count_endpoint(key: str, *, address: str = ADDRESS, timeout: float = 30.0) -> Callable[[bytes], int]:
    """A function from a body without `max_tokens` to the input tokens Anthropic counts for it.

    Args:
        key: the API key.
        address: scheme and host, without a path.
        timeout: seconds one answer may take.

    Raises:
        IncompatibleSpec: the address is not of the web.
    """
    if not address.startswith(("https://", "http://")):
        raise IncompatibleSpec("address", f"{address!r} is no https address")
    # S310 below: the scheme was just checked.

    def ask(body: bytes) -> int:
        headers = {"content-type": "application/json", "x-api-key": key, "anthropic-version": _VERSION}
        request = urllib.request.Request(address + _PATH, data=body, headers=headers, method="POST")  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:  # noqa: S310
                read = answer.read(_MOST_BYTES)
            return msgspec.json.decode(read, type=_Counted).input_tokens
        except urllib.error.HTTPError as error:
            detail = error.read(300).decode("utf-8", "replace")
            error.close()
            raise ModelUnavailable(
                address, f"refused to count: {error.code} {detail}; leave the key out to estimate"
            ) from error
        except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
            raise ModelUnavailable(address, f"gave no count: {error}; leave the key out to estimate") from error

    return ask
