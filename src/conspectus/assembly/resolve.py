"""Bind a spec to what this installation has: an unknown revision is an error, never a default."""

from conspectus.core.ports import ModelProfile
from conspectus.core.spec import ContextSpec, Policies
from conspectus.errors import IncompatibleSpec, UnknownRevision

RUNGS = ("drop", "shorten", "names")


def resolve(spec: ContextSpec, profile: ModelProfile) -> None:
    """Check that limits can be kept and that every revision in the spec is one we have.

    Raises:
        IncompatibleSpec: limits contradict each other, or the profile is bound to another form.
        UnknownRevision: the spec names a revision or a rung that is not here.
    """
    spec.budget.check()
    if spec.form is not profile.form:
        raise IncompatibleSpec("form", f"the spec says {spec.form.value}, the profile writes {profile.form.value}")
    ours = {
        "model revision": (spec.model_revision, profile.model_revision),
        "tokenizer revision": (spec.tokenizer_revision, profile.tokenizer_revision),
        "template revision": (spec.template_revision, profile.template_revision),
    }
    for what, (wanted, present) in ours.items():
        if wanted != present:
            raise UnknownRevision(what, wanted, (present,))
    _known_policies(spec.policies)


def _known_policies(policies: Policies) -> None:
    known = Policies()
    for name in ("ranking", "ordering", "reduction", "trust"):
        wanted, present = getattr(policies, name).revision, getattr(known, name).revision
        if wanted != present:
            raise UnknownRevision(f"{name} policy", wanted, (present,))
    if policies.reduction.ladder[:1] != ("drop",):
        raise IncompatibleSpec("reduction ladder", "its first rung is `drop`: without it nothing could be left out")
    for rung in policies.reduction.ladder:
        if rung not in RUNGS:
            raise UnknownRevision("reduction rung", rung, RUNGS)


def spec_for(profile: ModelProfile, spec: ContextSpec) -> ContextSpec:
    """`spec` bound to the revisions of `profile`."""
    return spec.evolve(
        model=profile.name,
        model_revision=profile.model_revision,
        tokenizer_revision=profile.tokenizer_revision,
        template_revision=profile.template_revision,
        form=profile.form,
    )
