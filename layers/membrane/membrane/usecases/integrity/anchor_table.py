"""Anchor the table: walk over all records and topics, then sign the root of their leaves.

Stage WALKING collects leaves into portions in the bucket. Stage SIGNING sorts the portions into
shards, signs the root and keeps the anchor. The job stores its progress after each portion; a
killed run writes the portion, the shards or the anchor again, with the same content.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from membrane.domain.integrity.anchors import (
    NEWEST,
    SHARDS,
    Anchor,
    SignedAnchor,
    anchor_after,
    portion_name,
    roots_name,
    shard_name,
    shard_of,
    shard_root,
    signed_name,
    sorted_shard,
)
from membrane.domain.integrity.leaves import WIDTH, Leaf, leaf_of_record
from membrane.domain.language.errors import Aborted
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.usecases.integrity.bucket_anchors import newest_in_bucket
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.integrity import LeafPage
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services

KEPT = 7
"""Anchors that keep their leaves: a week of days. Older anchors keep the signed root."""

PORTION = 20_000
"""Leaves of a portion at least, unless time runs out or the walk ends: 2.8 MB."""

GROUPS = 16
"""Parts in which the portions are sorted, so that a part of the leaves is in memory at a time."""

OTHERS = "another anchor is being made at the same time"


class Stage(StrEnum):
    WALKING = "walking"
    SIGNING = "signing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class AnchorProgress:
    """The progress of an anchor; JSON has the same names."""

    instant: str
    """The start of the walk, in whole seconds: as texts, the instants of anchors are in order."""
    stage: Stage = Stage.WALKING
    after: str | None = None
    """The end of the last portion's last page."""
    portions: int = 0
    damaged: int = 0
    """Items that cannot be read, which have no leaf."""
    leaves: int = 0

    @property
    def is_done(self) -> bool:
        return self.stage is Stage.DONE

    def as_json(self) -> JsonObject:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of_json(cls, kept: JsonObject) -> "AnchorProgress":
        return cls(**{**kept, "stage": Stage(kept["stage"])})


def anchor_table(services: Services, is_out_of_time: IsOutOfTime) -> AnchorProgress:
    """Continue the anchor under way, or begin the next, until done or out of time.

    A second call in the same second returns the progress of the first: the instant names an anchor.
    Raises Aborted while a second run works on the anchor, ResourceExhausted and Unavailable.
    """
    kept = services.integrity.progress()
    progress = None if kept is None else AnchorProgress.of_json(kept.progress)
    now = rfc3339(services.now().replace(microsecond=0))
    if progress is None or (progress.is_done and progress.instant < now):
        progress = AnchorProgress(now)
        kept = _keep(progress, kept, services)
    while not (progress.is_done or is_out_of_time()):
        if progress.stage is Stage.WALKING:
            progress = _after_portion(progress, services, is_out_of_time)
        else:
            progress = _after_signing(progress, services)
        kept = _keep(progress, kept, services)
    if progress.is_done:
        _remove_portions(progress, services)
    return progress


def _keep(progress: AnchorProgress, before: Checkpoint | None, services: Services) -> Checkpoint:
    try:
        return services.integrity.keep_progress(progress.as_json(), before)
    except LostRace as error:
        raise Aborted(OTHERS) from error


def _after_portion(
    progress: AnchorProgress, services: Services, is_out_of_time: IsOutOfTime
) -> AnchorProgress:
    """The progress after the pages of one portion: at least a page."""
    leaves: list[Leaf] = []
    damaged, after = progress.damaged, progress.after
    while True:
        page = services.integrity.leaves(after)
        loaded, unreadable = _loaded_leaves(page, services)
        leaves += [*page.leaves, *loaded]
        damaged += len(page.damaged) + unreadable
        after = page.next
        if after is None or len(leaves) >= PORTION or is_out_of_time():
            break
    name = portion_name(progress.instant, progress.portions)
    services.blobs.write(name, b"".join(leaf.pack() for leaf in leaves))
    stage = Stage.SIGNING if after is None else Stage.WALKING
    portions = progress.portions + 1
    return replace(progress, stage=stage, after=after, portions=portions, damaged=damaged)


def _loaded_leaves(page: LeafPage, services: Services) -> tuple[list[Leaf], int]:
    """The leaves of records of several items, and the number of unreadable records."""
    found, damaged = load_undamaged(
        page.record_ids, services.records.load_all, services.records.load
    )
    return [leaf_of_record(held) for held in found.values()], len(damaged)


def _after_signing(progress: AnchorProgress, services: Services) -> AnchorProgress:
    """Write shards, roots and the signed anchor.

    The bucket has the anchor before the table: an anchor that only the table has is a finding.
    """
    previous = _newest_before(progress.instant, services)
    leaves, roots = 0, list[bytes]()
    for shard, packed in _sorted_shards(progress, services):
        if packed:
            services.blobs.write(shard_name(progress.instant, shard), packed)
        leaves += len(packed) // WIDTH
        roots.append(shard_root(packed))
    services.blobs.write(roots_name(progress.instant), b"".join(roots))
    anchor = anchor_after(previous, progress.instant, leaves, roots)
    signed = SignedAnchor(anchor, services.signer.sign(anchor.content))
    stored = compact_json(signed.as_json()).encode()
    services.blobs.write(signed_name(anchor.instant), stored)
    services.blobs.write(NEWEST, stored)
    try:
        services.integrity.keep_anchor(signed)
    except LostRace as error:
        raise Aborted(OTHERS) from error
    _remove_oldest_leaves(services)
    return replace(progress, stage=Stage.DONE, leaves=leaves)


def _newest_before(instant: str, services: Services) -> Anchor | None:
    """The newest anchor of table and bucket, so that a restored table continues the chain.

    Without the anchor of the instant itself, which a killed run may have kept.
    """
    in_bucket = newest_in_bucket(services, before=instant)
    found = [each.anchor for each in services.integrity.anchors() if each.anchor.instant < instant]
    found += [] if in_bucket is None else [in_bucket.anchor]
    return max(found, key=lambda anchor: anchor.instant, default=None)


def _sorted_shards(progress: AnchorProgress, services: Services) -> Iterator[tuple[int, bytes]]:
    """Every shard with its sorted leaves, from GROUPS reads of all portions."""
    size = SHARDS // GROUPS
    for first in range(0, SHARDS, size):
        by_shard: dict[int, list[bytes]] = {shard: [] for shard in range(first, first + size)}
        for number in range(progress.portions):
            packed = services.blobs.get(portion_name(progress.instant, number))
            if packed is None:
                raise Aborted(f"portion {number} of the walk is gone from the bucket")
            for start in range(0, len(packed), WIDTH):
                leaf = packed[start : start + WIDTH]
                if first <= shard_of(leaf) < first + size:
                    by_shard[shard_of(leaf)].append(leaf)
        for shard, leaves in by_shard.items():
            yield shard, sorted_shard(leaves)


def _remove_oldest_leaves(services: Services) -> None:
    """Remove the shards of the newest anchor beyond KEPT; earlier anchors have none left."""
    for signed in services.integrity.anchors()[:-KEPT][-1:]:
        for shard in range(SHARDS):
            services.blobs.remove(shard_name(signed.anchor.instant, shard))
        services.blobs.remove(roots_name(signed.anchor.instant))


def _remove_portions(progress: AnchorProgress, services: Services) -> None:
    for number in range(progress.portions):
        services.blobs.remove(portion_name(progress.instant, number))
