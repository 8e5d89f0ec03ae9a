"""The head of a record's audit trail in the newest anchor."""

from membrane.domain.integrity.findings import departure_from
from membrane.domain.integrity.leaves import Leaf, LeafKind, head_digest, leaf_of_record, place_of
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.replies import AnchoredHead
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.machinery import anchored_leaves
from membrane.usecases.ports.world import World


def anchored_head(held: AnyRecord, world: World) -> AnchoredHead | None:
    """Whether the record agrees with the newest anchor; None if the anchor lacks the record.

    The record does not agree if the signature or the stored leaves of the anchor do not hold.
    """
    stored = next(iter(world.integrity.newest_anchors(1)), None)
    if stored is None:
        return None
    signed, instant = stored.signed, stored.instant
    if signed is None or not anchored_leaves.is_signed(signed, world):
        return {"instant": instant, "holds": False}
    try:
        leaf = anchored_leaves.AnchoredLeaves(signed.anchor, world).find(
            place_of(LeafKind.RECORD, held.id)
        )
    except anchored_leaves.LeavesChangedError:
        return {"instant": instant, "holds": False}
    if leaf is None or leaf.is_over(epoch_seconds(world.now())):
        return None
    holds = _agrees(held, leaf, world)
    return {"instant": instant, "entries": leaf.entries, "holds": holds}


def _agrees(held: AnyRecord, leaf: Leaf, world: World) -> bool:
    def head_at(position: int) -> bytes | None:
        entries = world.records.entries(held, position, position + 1)
        return next((head_digest(entry.hash) for _, entry in entries), None)

    def content_at(_entries: int) -> bytes:
        """Not compared: the content of earlier entries needs the whole history."""
        return leaf.content

    try:
        present = leaf_of_record(held)
    except ValueError:
        return False
    # whether a later entry ends the record is not compared: the later entries may be many
    return departure_from(leaf, present, head_at, content_at, lambda _: True) is None
