"""Verify the anchors themselves: signatures, the chain, and the copies in table and bucket."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from membrane.domain.integrity.anchors import SHARDS, Anchor, SignedAnchor
from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.usecases.integrity.anchor_table import KEPT, AnchorProgress
from membrane.usecases.integrity.bucket_anchors import anchors_in_bucket
from membrane.usecases.machinery.anchored_leaves import (
    AnchoredLeaves,
    LeavesChangedError,
    is_signed,
)
from membrane.usecases.ports.services import Services


def verify_anchors(services: Services) -> list[Finding]:
    """The findings of all anchors, and of the stored leaves of the anchors that keep leaves."""
    in_table = {each.anchor.instant: each for each in services.integrity.anchors()}
    in_bucket = {each.anchor.instant: each for each in anchors_in_bucket(services)}
    found = [*_lacking(in_table, in_bucket, services)]
    genuine = _genuine(in_table, in_bucket, services)
    forged = (in_table.keys() | in_bucket.keys()) - genuine.keys()
    found += [Finding(FindingKind.ANCHOR_FORGED, each, "the signature") for each in sorted(forged)]
    ordered = [genuine[instant] for instant in sorted(genuine)]
    found += _breaks_in(ordered)
    for anchor in ordered[-KEPT:]:
        found += _damage_of_leaves(AnchoredLeaves(anchor, services))
    return found


def trusted_leaves(services: Services) -> Sequence[AnchoredLeaves]:
    """The leaves of the anchors that keep leaves and have a valid signature, the newest first."""
    in_table = {each.anchor.instant: each for each in services.integrity.anchors()}
    in_bucket = {each.anchor.instant: each for each in anchors_in_bucket(services)}
    genuine = _genuine(in_table, in_bucket, services)
    newest_first = sorted(genuine, reverse=True)[:KEPT]
    return [AnchoredLeaves(genuine[instant], services) for instant in newest_first]


def _genuine(
    in_table: Mapping[str, SignedAnchor], in_bucket: Mapping[str, SignedAnchor], services: Services
) -> dict[str, Anchor]:
    """The anchors with a valid signature in every copy, by instant."""
    genuine: dict[str, Anchor] = {}
    for instant in in_table.keys() | in_bucket.keys():
        copies = {each[instant] for each in (in_table, in_bucket) if instant in each}
        anchors = {each.anchor for each in copies}
        if len(anchors) == 1 and all(is_signed(each, services) for each in copies):
            genuine[instant] = anchors.pop()
    return genuine


def _lacking(
    in_table: Mapping[str, SignedAnchor], in_bucket: Mapping[str, SignedAnchor], services: Services
) -> Iterator[Finding]:
    """Anchors with one copy, without the anchor that is being made."""
    kept = services.integrity.progress()
    progress = None if kept is None else AnchorProgress.of_json(kept.progress)
    under_way = None if progress is None or progress.is_done else progress.instant
    for instant in sorted(in_bucket.keys() - in_table.keys() - {under_way}):
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


def _damage_of_leaves(leaves: AnchoredLeaves) -> Iterator[Finding]:
    for shard in range(SHARDS):
        try:
            leaves.shard(shard)
        except LeavesChangedError as error:
            yield Finding(FindingKind.SHARDS_CHANGED, leaves.anchor.instant, str(error))
