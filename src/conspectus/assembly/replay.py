"""Rebuild the payload of a manifest from archived candidates, for a caller who may still read them."""

from collections.abc import Sequence
from datetime import datetime

from conspectus.assembly.assemble import Assembly, compose
from conspectus.core.call import Caller, Request
from conspectus.core.item import ContextItem
from conspectus.core.manifest import ContextManifest, Gathered, Offer
from conspectus.core.ports import ModelProfile
from conspectus.errors import MandatoryDenied, ReplayDrift


def replay(
    manifest: ContextManifest,
    candidates: Sequence[ContextItem],
    request: Request,
    profile: ModelProfile,
    caller: Caller,
) -> Assembly:
    """The same payload once more, byte for byte.

    `caller` is authorized again for everything in the payload; the walk itself runs as the original caller at the
    original moment, since both are part of the call.

    Raises:
        MandatoryDenied: `caller` may not read an item of the payload.
        ReplayDrift: the candidates give another payload.
    """
    original = Caller(principal=manifest.principal, tenant=manifest.tenant, groups=frozenset(manifest.groups))
    sent = {record.id for record in manifest.items}
    for item in candidates:
        barred = item.readers and caller.names.isdisjoint(item.readers)
        if item.item_id in sent and (item.tenant != caller.tenant or barred):
            raise MandatoryDenied("the archive")
    now = datetime.fromisoformat(manifest.assembled_at)
    offers = (Offer(source="archive", gathered=Gathered(items=tuple(candidates))),)
    assembly = compose(offers, request, original, manifest.spec, profile, now)
    if assembly.payload.payload_hash != manifest.payload_hash:
        raise ReplayDrift(manifest.payload_hash, assembly.payload.payload_hash)
    return assembly
