"""One manifest that uses every field; `python -m tests.storage.samples` writes it as the golden file of its schema."""

from dataclasses import replace

import numpy as np

from conspectus.core.call import Form
from conspectus.core.item import Kind
from conspectus.core.manifest import (
    SCHEMA_VERSION,
    ContextManifest,
    Decision,
    ItemRecord,
    Ledger,
    Reason,
    Run,
    SlotRecord,
    Stage,
    Transformation,
    Verdict,
)
from conspectus.core.spec import Budget, ContextSpec, Policies, Share
from conspectus.storage.manifests import encode_manifest
from tests.house.sources import ROOT

GOLDEN = ROOT / "tests" / "golden" / f"manifest-v{SCHEMA_VERSION}.json"

SPEC = ContextSpec(
    model="small",
    model_revision="small-1",
    tokenizer_revision="bpe-1",
    template_revision="chat-1",
    budget=Budget(
        window=8_000,
        input_limit=6_000,
        output_reserve=1_000,
        loop_reserve=500,
        shares=(Share(kind=Kind.EVIDENCE, minimum=100, maximum=4_000), Share(kind=Kind.HISTORY)),
    ),
    form=Form.OPENAI,
    policies=Policies(retention="days:30"),
    tool_catalog_revision="tools-1",
    retrieval_spec_hash="ab" * 32,
    tool_server_identities=("stdio:search",),
)

_ITEMS = (
    ItemRecord(
        id="instruction/answer",
        hash="01" * 32,
        tokens=40,
        position=0,
        kind="instruction",
        role="system",
        authority="application",
        section="Role & Policies",
        source_uri="file:rules.md",
        source_version="r3",
        observed_at="",
        mandatory=True,
    ),
    ItemRecord(
        id="file/退款.md#L1-9",
        hash="02" * 32,
        tokens=120,
        position=1,
        kind="evidence",
        role="user",
        authority="data",
        section="Conflicts",
        source_uri="file:退款.md",
        source_version="02" * 32,
        observed_at="2026-03-04T05:06:07Z",
        dependencies=("file/退款.md#L0",),
        derived_from=("note/refunds",),
        conflict="c1",
        transformations=(
            Transformation(step="sanitize", before="02" * 32, after="03" * 32, detail="bidi 2"),
            Transformation(step="shorten", before="03" * 32, after="04" * 32, detail="file:退款.md"),
        ),
    ),
)

_DECISIONS = Ledger(
    (
        Decision(
            subject="source/files",
            stage=Stage.GATHER,
            verdict=Verdict.NOTED,
            reason=Reason.GATHERED,
            detail="5 candidates",
        ),
        Decision(
            subject="source/memory",
            stage=Stage.GATHER,
            verdict=Verdict.FAILED,
            reason=Reason.SOURCE_FAILED,
            detail="OSError",
        ),
        Decision(subject="file/logo.png", stage=Stage.GATHER, verdict=Verdict.OMITTED, reason=Reason.BINARY),
        Decision(
            subject="instruction/answer", stage=Stage.SELECT, verdict=Verdict.KEPT, reason=Reason.MANDATORY, tokens=40
        ),
        Decision(
            subject="file/退款.md#L1-9",
            stage=Stage.REDUCE,
            verdict=Verdict.TRANSFORMED,
            reason=Reason.REDUCED,
            tokens=120,
            scores=(("relevance", 1.0), ("recency", 0.25), ("value", 0.8125)),
        ),
        Decision(
            subject="note/old",
            stage=Stage.SELECT,
            verdict=Verdict.OMITTED,
            reason=Reason.BUDGET_EXCEEDED,
            tokens=900,
            scores=(("relevance", 0.001),),
            related=("file/退款.md#L1-9",),
        ),
    ),
    (
        Run(
            subjects=("file/a.py#L1-2", "file/b.py#L1-2"),
            stage=Stage.SELECT,
            verdict=Verdict.OMITTED,
            reason=Reason.BELOW_RELEVANCE,
            names=("relevance", "prior"),
            scores=np.array([[0.0, np.nan], [1e-06, 0.5]]),
        ),
    ),
)

MANIFEST = ContextManifest(
    request_id="0123456789abcdef",
    spec_hash=SPEC.hash,
    spec=SPEC,
    principal="ana",
    tenant="acme",
    groups=("ops", "support"),
    assembled_at="2026-03-05T00:00:00.000001Z",
    format="openai",
    model="small",
    exactness="estimated",
    margin=0.02,
    input_tokens=203,
    input_limit=6_000,
    scaffold_tokens=42,
    join_tokens=1,
    payload_hash="05" * 32,
    candidates="06" * 32,
    items=_ITEMS,
    decisions=_DECISIONS,
    refused=(("files", 3),),
    conflicts=(("file/退款.md#L1-9", "note/refunds"),),
    slots=(SlotRecord(name="refund days", filled_by=("file/退款.md#L1-9",)), SlotRecord(name="exceptions")),
    price=0.0067708,
    alarms=("the parts add up to +1 tokens of the payload; the payload was counted whole",),
)
MANIFEST = replace(MANIFEST, decisions=tuple(_DECISIONS))
LAZY = replace(MANIFEST, decisions=_DECISIONS)

if __name__ == "__main__":
    GOLDEN.write_bytes(encode_manifest(MANIFEST))
