"""Assemble one call about a folder, send the body, and be able to say why."""

from datetime import UTC, datetime
from pathlib import Path

from conspectus import Budget, Caller, ContextSpec, Form, Request, Source, assemble, profile, spec_for
from conspectus.sources.files.source import FileSource
from conspectus.sources.instructions import Instruction, InstructionSource, RequestSource

model = profile("o200k", Form.OPENAI)
spec = spec_for(model, ContextSpec(budget=Budget(window=128_000, input_limit=4_000, output_reserve=2_000)))
sources: list[Source] = [
    RequestSource(),
    InstructionSource([Instruction(name="policy", text="Answer from the evidence and cite ids.")]),
    FileSource(Path(__file__).parent),
]
request = Request(question="What does the quickstart print?")
assembly = assemble(sources, request, Caller(), spec, model, datetime.now(UTC))

print(assembly.payload.body)
for decision in assembly.manifest.decisions:
    print(decision.subject, decision.verdict, decision.reason, decision.tokens)
