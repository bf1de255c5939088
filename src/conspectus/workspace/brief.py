"""What a caller hands in for one assembly, and the limits that follow from it; nothing is read or built here."""

import dataclasses
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Form
from conspectus.core.item import Kind
from conspectus.core.ports import ModelProfile
from conspectus.core.spec import Budget, ContextSpec, Policies, Share
from conspectus.errors import IncompatibleSpec, UnknownRevision
from conspectus.models.registry import DEFAULT

MODEL = DEFAULT
INPUT_LIMIT = 16_000
OUTPUT_RESERVE = 4_096

_WHOLE = 100
_SHARE = re.compile(r"(?P<kind>\w+)=(?P<least>\d+(?:\.\d+)?%|\d+)?:(?P<most>\d+(?:\.\d+)?%|\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a caller hands in for one assembly; every path is read at the moment of the call.

    Attributes:
        question: what is asked.
        folders: folders, or single files, to look for evidence in.
        whole: files in them that enter whole or not at all; relative to the first folder that has them.
        history: a conversation as JSONL.
        items: your own items as JSONL.
        instructions: approved instruction files; only they may change policy.
        examples: labelled demonstrations as JSONL.
        slots: required evidence as JSONL.
        model: name of a profile, or a folder that holds a model's tokenizer and template.
        form: form of the payload.
        input_limit: tokens the payload may have.
        output_reserve: tokens kept for the answer; None means 4,096, but at most a quarter of the model's window.
        loop_reserve: tokens kept for the next tool call and its result.
        shares: parts of the input limit, each a `Share` in tokens or a text such as `evidence=10%:60%`.
        policies: the policies of the assembly.
    """

    question: str
    folders: tuple[Path, ...] = ()
    whole: tuple[str, ...] = ()
    history: Path | None = None
    items: Path | None = None
    instructions: tuple[Path, ...] = ()
    examples: Path | None = None
    slots: Path | None = None
    model: str = MODEL
    form: Form = Form.TEXT
    input_limit: int = INPUT_LIMIT
    output_reserve: int | None = None
    loop_reserve: int = 0
    shares: tuple[Share | str, ...] = ()
    policies: Policies = dataclasses.field(default_factory=Policies)

    def reserve(self, window: int) -> int:
        """Tokens kept for the answer of a model with `window` tokens."""
        return min(OUTPUT_RESERVE, window // 4) if self.output_reserve is None else self.output_reserve

    def spec(self, profile: ModelProfile) -> ContextSpec:
        """The spec of this call for `profile`.

        Raises:
            SpecError: the limits are impossible, or a share is malformed or of an unknown kind.
        """
        window = profile.limits.window
        budget = Budget(
            window=window,
            input_limit=self.input_limit,
            output_reserve=self.reserve(window),
            loop_reserve=self.loop_reserve,
        )
        budget.check()
        shares = tuple(read_share(share, budget.allowed) if isinstance(share, str) else share for share in self.shares)
        unbound = ContextSpec(
            model="",
            model_revision="",
            tokenizer_revision="",
            template_revision="",
            budget=dataclasses.replace(budget, shares=shares),
            policies=self.policies,
        )
        return spec_for(profile, unbound)


def read_share(text: str, limit: int) -> Share:
    """The share `KIND=MIN:MAX` says: each side in tokens, in % of `limit` tokens, or empty for no bound.

    Raises:
        UnknownRevision: there is no such kind.
        IncompatibleSpec: the text has another shape, is no range, or asks for more than 100 %.
    """
    found = _SHARE.fullmatch(text)
    if found is None:
        raise IncompatibleSpec("share", f"{text!r} is not KIND=MIN:MAX, such as evidence=10%:60% or history=:2000")
    kinds = {kind.value: kind for kind in Kind}
    if found["kind"] not in kinds:
        raise UnknownRevision("kind", found["kind"], tuple(kinds))
    least = _amount(found["least"] or "0", limit, text)
    most = _amount(found["most"], limit, text) if found["most"] else None
    if most is not None and most < least:
        raise IncompatibleSpec("share", f"{text} is no range; its minimum of {least:,} tokens is above its maximum")
    return Share(kind=kinds[found["kind"]], minimum=least, maximum=most)


def _amount(amount: str, limit: int, share: str) -> int:
    if not amount.endswith("%"):
        return int(amount)
    part = Fraction(amount[:-1])
    if part > _WHOLE:
        raise IncompatibleSpec("share", f"{share} asks for more than there is; at most 100%, of {limit:,} tokens")
    return math.floor(part * limit / _WHOLE)
