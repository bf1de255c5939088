"""Context engineering: decide what a language model gets to see before a call, and be able to say why."""

from conspectus.assembly.assemble import Assembly, assemble, compose
from conspectus.assembly.replay import replay
from conspectus.assembly.resolve import spec_for
from conspectus.core.call import Caller, Form, Payload, Request, Slot
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.manifest import ContextManifest, Decision, Gathered
from conspectus.core.ports import ModelProfile, Source
from conspectus.core.spec import Budget, ContextSpec, Policies, Share
from conspectus.errors import ContextError
from conspectus.models.registry import resolve as profile

__all__ = [
    "Assembly",
    "Authority",
    "Budget",
    "Caller",
    "ContextError",
    "ContextItem",
    "ContextManifest",
    "ContextSpec",
    "Decision",
    "Form",
    "Gathered",
    "Kind",
    "ModelProfile",
    "Payload",
    "Policies",
    "Request",
    "Share",
    "Slot",
    "Source",
    "Trust",
    "assemble",
    "compose",
    "profile",
    "replay",
    "spec_for",
]
