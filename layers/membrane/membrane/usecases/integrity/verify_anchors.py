"""Verify the anchors themselves: signatures, the chain, and the copies in table and bucket."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from membrane.domain.integrity.anchors import SHARDS, Anchor, SignedAnchor
from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.usecases.integrity.anchor_table import KEPT, progress_of_anchor
from membrane.usecases.machinery.anchored_leaves import (
    AnchoredLeaves,
    LeavesChangedError,
    anchors_in_bucket,
    is_signed,
)
from membrane.usecases.ports.world import World

Copies = Mapping[str, SignedAnchor | None]
"""Anchors by instant; None for an item that is no anchor of this instant."""


def verify_anchors(world: World) -> tuple[list[Finding], list[SignedAnchor]]:
    """The findings of all anchors; and the newest genuine anchors that keep leaves, newest first.

    A genuine anchor has a valid signature, or is named by hash in the genuine anchor after.
    """
    in_table = _in_table(world)
    in_bucket = {each.anchor.instant: each for each in anchors_in_bucket(world)}
    found = [*_lacking(in_table, in_bucket, world)]
    genuine = _genuine(in_table, in_bucket, world)
    forged = (in_table.keys() | in_bucket.keys()) - genuine.keys()
    found += [Finding(FindingKind.ANCHOR_FORGED, each, "the signature") for each in sorted(forged)]
    ordered = [genuine[instant] for instant in sorted(genuine)]
    found += _breaks_in([each.anchor for each in ordered])
    newest_first = ordered[-KEPT:][::-1]
    for signed in newest_first:
        damage = _damage_of_leaves(AnchoredLeaves(signed.anchor, world))
        if not damage:
            continue
        newest = world.integrity.newest_anchors(KEPT)  # leaves of others may be gone by now
        if any(each.instant == signed.anchor.instant for each in newest):
            found += damage
    return found, newest_first


def _in_table(world: World) -> dict[str, SignedAnchor | None]:
    return {each.instant: each.signed for each in world.integrity.anchors()}


def _genuine(in_table: Copies, in_bucket: Copies, world: World) -> dict[str, SignedAnchor]:
    """The genuine anchors by instant, from the newest back."""
    genuine: dict[str, SignedAnchor] = {}
    named: tuple[str | None, str] = (None, "")
    for instant in sorted(in_table.keys() | in_bucket.keys(), reverse=True):
        copies = [each[instant] for each in (in_table, in_bucket) if instant in each]
        signed = next((each for each in copies if _is_genuine(each, named, world)), None)
        if signed is None or any(each is None or each.anchor != signed.anchor for each in copies):
            continue
        genuine[instant] = signed
        named = (signed.anchor.previous, signed.anchor.previous_hash)
    return genuine


def _is_genuine(signed: SignedAnchor | None, named: tuple[str | None, str], world: World) -> bool:
    """Whether the genuine anchor after names the anchor, or the signature holds."""
    if signed is None:
        return False
    return (signed.anchor.instant, signed.anchor.hash) == named or is_signed(signed, world)


def _lacking(in_table: Copies, in_bucket: Copies, world: World) -> Iterator[Finding]:
    """Anchors with one copy, without an anchor that a run is about to keep."""
    only_in_bucket = in_bucket.keys() - in_table.keys()
    if only_in_bucket:
        progress = progress_of_anchor(world)
        under_way = None if progress is None or progress.is_done else progress.instant
        only_in_bucket -= {under_way, *_in_table(world)}
    for instant in sorted(only_in_bucket):
        yield Finding(FindingKind.ANCHOR_MISSING, instant)
    for instant in sorted(in_table.keys() - in_bucket.keys()):
        yield Finding(FindingKind.ANCHOR_ONLY_IN_TABLE, instant)


def _breaks_in(ordered: Sequence[Anchor]) -> Iterator[Finding]:
    """Breaks of the chain; the first anchor has no anchor before."""
    for first in ordered[:1]:
        if first.previous is not None:
            yield Finding(FindingKind.ANCHOR_FORGED, first.instant, "the anchor before is gone")
    for before, after in pairwise(ordered):
        if (after.previous, after.previous_hash) != (before.instant, before.hash):
            yield Finding(FindingKind.ANCHOR_FORGED, after.instant, "the chain of anchors")


def _damage_of_leaves(leaves: AnchoredLeaves) -> list[Finding]:
    """A finding for each damaged shard, or one for the roots of all shards."""
    try:
        leaves.roots()
    except LeavesChangedError as error:
        return [Finding(FindingKind.SHARDS_CHANGED, leaves.anchor.instant, str(error))]
    found = []
    for shard in range(SHARDS):
        try:
            leaves.read_shard(shard)
        except LeavesChangedError as error:
            found.append(Finding(FindingKind.SHARDS_CHANGED, leaves.anchor.instant, str(error)))
    return found
