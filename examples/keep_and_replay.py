"""Assemble with a state folder: the manifest and the candidates are kept, so that the call can be explained later."""

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from conspectus import Caller
from conspectus.inspection.why import why
from conspectus.workspace import Brief, Workspace

brief = Brief(question="What does the quickstart print?", folders=(Path(__file__).parent,), input_limit=4_000)
now = datetime.now(UTC)

with TemporaryDirectory() as home, Workspace.open(Path(home)) as workspace:
    assembly = workspace.assemble(brief, Caller(principal="ann"), now)
    manifest = workspace.manifest(assembly.manifest.request_id)
    print(f"{manifest.input_tokens:,} of {manifest.input_limit:,} tokens, {manifest.exactness}")
    for decision in why(manifest, "quickstart.py").decisions:
        print(decision.subject, decision.verdict, decision.reason, decision.tokens)
    again = workspace.replay(manifest, Caller(principal="bob"), now)
    print("replayed byte for byte:", again.payload.body == assembly.payload.body)
