"""Reconcile: our count of a payload against the provider's; beyond the margin a difference is an alarm."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from conspectus.core.manifest import ContextManifest
from conspectus.errors import InputError

_PLACES = ("usage", "response", "message", "timings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """Two counts of one payload, in tokens.

    Attributes:
        ours: what the manifest claims.
        theirs: what the provider reported, cached parts included.
        drift: (theirs - ours) / ours.
        margin: the largest drift the profile declares, as a fraction; 0 for an exact one.
        alarm: what to write into the manifest, empty when the drift is within the margin.
    """

    ours: int
    theirs: int
    drift: float
    margin: float
    alarm: str


class _Usage(msgspec.Struct, frozen=True):
    """The counts of input tokens that providers report, whichever of them there are.

    OpenAI: `prompt_tokens` (chat) or `input_tokens` (responses), cached ones included. Anthropic: `input_tokens`
    without the cached ones, which are counted beside it. llama.cpp: `prompt_tokens` through its chat endpoint,
    `tokens_evaluated` of a plain completion, `cache_n` and `prompt_n` among the timings. Ollama: `prompt_eval_count`.
    """

    prompt_tokens: int | None = None
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    tokens_evaluated: int | None = None
    prompt_n: int | None = None
    cache_n: int | None = None
    prompt_eval_count: int | None = None

    @property
    def total(self) -> int | None:
        """Input tokens, or None where none of the known fields is there."""
        if self.prompt_tokens is not None:
            return self.prompt_tokens
        if self.input_tokens is not None:
            return self.input_tokens + (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        if self.tokens_evaluated is not None:
            return self.tokens_evaluated
        if self.prompt_n is not None:
            return self.prompt_n + (self.cache_n or 0)
        return self.prompt_eval_count


def reported_tokens(data: bytes, path: str) -> int:
    """Input tokens in a provider's report: a usage object, or a whole response that holds one.

    Args:
        data: JSON.
        path: names it in errors.

    Raises:
        InputError: it is no JSON, or reports no count, or 0, which some providers do when they stream.
    """
    try:
        document = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        total = _find(document)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(path, f"is no usage report: {error}") from error
    if total is None:
        raise InputError(
            path, "holds no count of input tokens (usage.prompt_tokens, usage.input_tokens …)", field="usage"
        )
    if total <= 0:
        raise InputError(path, f"reports {total} input tokens, which is no report", field="usage")
    return total


def reconcile(manifest: ContextManifest, theirs: int) -> Reconciliation:
    """Compare what the manifest claims with what the provider reported."""
    ours = manifest.input_tokens
    drift = (theirs - ours) / ours
    alarm = ""
    if abs(theirs - ours) > manifest.margin * ours:
        allowed = f"the margin is {manifest.margin:.1%}" if manifest.margin else "the profile is exact"
        alarm = f"the provider counted {theirs:,} tokens, we {ours:,} ({drift:+.2%}; {allowed})"
    return Reconciliation(ours=ours, theirs=theirs, drift=drift, margin=manifest.margin, alarm=alarm)


def reconciled(manifest: ContextManifest, result: Reconciliation) -> ContextManifest:
    """The manifest with the alarm, if there is one and it does not hold it yet."""
    if not result.alarm or result.alarm in manifest.alarms:
        return manifest
    return replace(manifest, alarms=(*manifest.alarms, result.alarm))


def _find(document: Mapping[str, msgspec.Raw]) -> int | None:
    """The count in the object itself, or in one of the objects a report is known to lie in."""
    for place in _PLACES:
        if place in document and bytes(document[place]).lstrip()[:1] == b"{":
            inner = msgspec.json.decode(document[place], type=dict[str, msgspec.Raw])
            if (total := _find(inner)) is not None:
                return total
    return msgspec.json.decode(msgspec.json.encode(document), type=_Usage).total
