"""Anchor the table: walk over all records and topics, then sign the root of their leaves.

Stage WALKING collects leaves into portions in the bucket. Stage SIGNING sorts the portions into
shards, signs the root and keeps the anchor. The job stores its progress after each portion; a
killed run writes the portion, the shards or the anchor again, with the same content.

The progress is signed, and names each portion with its SHA-256: nobody who writes to the table or
to the bucket chooses what is signed. Progress that is no longer ahead of the newest anchor, as in a
restored table, is given up.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from membrane.domain.integrity import anchors
from membrane.domain.integrity.leaves import WIDTH, Leaf, leaf_of_record
from membrane.domain.language.errors import Aborted, FailedPrecondition
from membrane.domain.language.json_text import JsonObject, canonical_json, compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.records.stored import AnyRecord
from membrane.table.items import Checkpoint, LostRace
from membrane.usecases.machinery.anchored_leaves import anchors_in_bucket, is_signed
from membrane.usecases.machinery.calls import IsOutOfTime, load_undamaged
from membrane.usecases.ports.surroundings import Signature
from membrane.usecases.ports.walks import LeafPage
from membrane.usecases.ports.world import World

KEPT = 7
"""Anchors that keep their leaves: a week of days. Older anchors keep the signed root."""

OVERDUE = 3
"""Anchors beyond KEPT whose leaves are removed, so that a removal that failed is made up for."""

PORTION = 20_000
"""Leaves of a portion at least, unless time runs out or the walk ends: 2.8 MB."""

GROUPS = 16
"""Parts in which the portions are sorted, so that a part of the leaves is in memory at a time."""

OTHERS = "another anchor is being made at the same time"


class Stage(StrEnum):
    WALKING = "walking"
    SIGNING = "signing"
    DONE = "done"


class Portion(NamedTuple):
    """Leaves of a walk under way."""

    name: str
    sha256: str


class _PortionLostError(Exception):
    """A portion is absent or changed: the walk must begin again."""


@dataclass(frozen=True, slots=True)
class AnchorProgress:
    """The progress of an anchor; JSON has the same names."""

    instant: str
    """The start of the walk, in whole seconds: as texts, the instants of anchors are in order."""
    stage: Stage = Stage.WALKING
    after: str | None = None
    """The end of the last portion's last page."""
    portions: tuple[Portion, ...] = ()
    damaged: int = 0
    """Items that cannot be read, which have no leaf."""
    leaves: int = 0

    @property
    def is_done(self) -> bool:
        return self.stage is Stage.DONE

    def as_json(self) -> JsonObject:
        shown = {name: getattr(self, name) for name in self.__slots__}
        return shown | {"portions": [list(each) for each in self.portions]}

    @classmethod
    def of_json(cls, kept: JsonObject) -> "AnchorProgress":
        """The inverse of `as_json`; raises KeyError, TypeError or ValueError for other JSON."""
        portions = tuple(Portion(*each) for each in kept["portions"])
        return cls(**{**kept, "stage": Stage(kept["stage"]), "portions": portions})


def anchor_table(world: World, is_out_of_time: IsOutOfTime) -> AnchorProgress:
    """Continue the anchor under way, or begin the next, until done or out of time.

    A second call in the same second returns the progress of the first: the instant names an anchor.
    Raises Aborted while a second run works on the anchor, FailedPrecondition if the newest anchor
    is later than the clock, ResourceExhausted and Unavailable.
    """
    kept = world.integrity.progress()
    newest = _newest(world)
    now = rfc3339(world.now().replace(microsecond=0))
    progress = _progress_in(kept, world)
    if progress is None or not _goes_on(progress, newest, now):
        if newest is not None and newest.anchor.instant >= now:
            raise FailedPrecondition(f"the clock is behind the anchor of {newest.anchor.instant}")
        progress = AnchorProgress(now)
        kept = _keep(progress, kept, world)
    while not (progress.is_done or is_out_of_time()):
        if progress.stage is Stage.WALKING:
            progress = _after_portion(progress, world, is_out_of_time)
        else:
            progress = _after_signing(progress, newest, world)
        kept = _keep(progress, kept, world)
    if progress.is_done:
        for portion in progress.portions:
            world.blobs.remove(portion.name)
    return progress


def progress_of_anchor(world: World) -> AnchorProgress | None:
    """The progress of the newest walk; None without one that the service has signed."""
    return _progress_in(world.integrity.progress(), world)


def _progress_in(kept: Checkpoint | None, world: World) -> AnchorProgress | None:
    if kept is None:
        return None
    try:
        signature = Signature(*kept.progress["signature"])
        content = kept.progress["progress"]
        if not world.signer.verify(canonical_json(content), signature):
            return None
        return AnchorProgress.of_json(content)
    except (KeyError, TypeError, ValueError):
        return None


def _keep(progress: AnchorProgress, before: Checkpoint | None, world: World) -> Checkpoint:
    content = progress.as_json()
    signature = world.signer.sign(canonical_json(content))
    signed = {"progress": content, "signature": list(signature)}
    try:
        return world.integrity.keep_progress(signed, before)
    except LostRace as error:
        raise Aborted(OTHERS) from error


def _newest(world: World) -> anchors.SignedAnchor | None:
    """The newest anchor of table and bucket with a valid signature."""
    in_table = [each.signed for each in world.integrity.newest_anchors(KEPT)]
    found = {each for each in in_table if each is not None}
    found.update(islice(anchors_in_bucket(world), KEPT))
    newest_first = sorted(found, key=lambda each: each.anchor.instant, reverse=True)
    return next((each for each in newest_first if is_signed(each, world)), None)


def _goes_on(progress: AnchorProgress, newest: anchors.SignedAnchor | None, now: str) -> bool:
    """Whether the progress leads to the next anchor, or ended in this second."""
    if progress.is_done:
        return progress.instant == now
    if newest is None or progress.instant > newest.anchor.instant:
        return progress.instant <= now
    return progress.stage is Stage.SIGNING and progress.instant == newest.anchor.instant


def _after_portion(
    progress: AnchorProgress, world: World, is_out_of_time: IsOutOfTime
) -> AnchorProgress:
    """The progress after the pages of one portion: at least a page."""
    leaves: list[Leaf] = []
    damaged, after = progress.damaged, progress.after
    while True:
        page = world.integrity.leaves(after)
        loaded, unreadable = _loaded_leaves(page, world)
        leaves += [*page.leaves, *loaded]
        damaged += len(page.damaged) + unreadable
        after = page.next
        if after is None or len(leaves) >= PORTION or is_out_of_time():
            break
    content = b"".join(leaf.pack() for leaf in leaves)
    portion = Portion(anchors.portion_name(world.new_id()), hashlib.sha256(content).hexdigest())
    world.blobs.write(portion.name, content)
    stage = Stage.SIGNING if after is None else Stage.WALKING
    portions = (*progress.portions, portion)
    return replace(progress, stage=stage, after=after, portions=portions, damaged=damaged)


def _loaded_leaves(page: LeafPage, world: World) -> tuple[list[Leaf], int]:
    """The leaves of records of several items, and the number of unreadable records."""
    found, damaged = load_undamaged(page.record_ids, world.records.load_each)
    leaves = [_leaf_of(held) for held in found.values()]
    readable = [each for each in leaves if each is not None]
    return readable, len(damaged) + len(leaves) - len(readable)


def _leaf_of(held: AnyRecord) -> Leaf | None:
    try:
        return leaf_of_record(held)
    except ValueError:
        return None


def _after_signing(
    progress: AnchorProgress, newest: anchors.SignedAnchor | None, world: World
) -> AnchorProgress:
    """The progress after the anchor; a fresh progress if a portion is lost.

    The bucket has the anchor before the table: an anchor that only the table has is a finding. An
    anchor of the instant that a killed run has signed is kept, and not signed again.
    """
    if newest is not None and newest.anchor.instant == progress.instant:
        signed = newest
    else:
        try:
            signed = _sign(progress, newest, world)
        except _PortionLostError:
            return AnchorProgress(rfc3339(world.now().replace(microsecond=0)))
    try:
        world.integrity.keep_anchor(signed)
    except LostRace as error:
        raise Aborted(OTHERS) from error
    _remove_oldest_leaves(world)
    return replace(progress, stage=Stage.DONE, leaves=signed.anchor.leaves)


def _sign(
    progress: AnchorProgress, newest: anchors.SignedAnchor | None, world: World
) -> anchors.SignedAnchor:
    leaves, roots = 0, list[bytes]()
    for shard, packed in _sorted_shards(progress, world):
        if packed:
            world.blobs.write(anchors.shard_name(progress.instant, shard), packed)
        leaves += len(packed) // WIDTH
        roots.append(anchors.shard_root(packed))
    world.blobs.write(anchors.roots_name(progress.instant), b"".join(roots))
    previous = None if newest is None else newest.anchor
    anchor = anchors.anchor_after(previous, progress.instant, leaves, roots)
    signed = anchors.SignedAnchor(anchor, world.signer.sign(anchor.content))
    stored = compact_json(signed.as_json()).encode()
    world.blobs.write(anchors.signed_name(anchor.instant), stored)
    world.blobs.write(anchors.NEWEST, stored)
    return signed


def _sorted_shards(progress: AnchorProgress, world: World) -> Iterator[tuple[int, bytes]]:
    """Every shard with its sorted leaves, from GROUPS reads of all portions."""
    size = anchors.SHARDS // GROUPS
    for first in range(0, anchors.SHARDS, size):
        by_shard: dict[int, list[bytes]] = {shard: [] for shard in range(first, first + size)}
        for portion in progress.portions:
            packed = world.blobs.get(portion.name)
            if packed is None or hashlib.sha256(packed).hexdigest() != portion.sha256:
                raise _PortionLostError
            for start in range(0, len(packed), WIDTH):
                leaf = packed[start : start + WIDTH]
                if first <= anchors.shard_of(leaf) < first + size:
                    by_shard[anchors.shard_of(leaf)].append(leaf)
        for shard, leaves in by_shard.items():
            yield shard, anchors.sorted_shard(leaves)


def _remove_oldest_leaves(world: World) -> None:
    """Remove the leaves of the newest anchors beyond KEPT, of table and bucket."""
    found = {each.instant for each in world.integrity.newest_anchors(KEPT + OVERDUE)}
    in_bucket = islice(anchors_in_bucket(world), KEPT + OVERDUE)
    found.update(each.anchor.instant for each in in_bucket)
    for instant in sorted(found, reverse=True)[KEPT : KEPT + OVERDUE]:
        if world.blobs.get(anchors.roots_name(instant)) is not None:
            for shard in range(anchors.SHARDS):
                world.blobs.remove(anchors.shard_name(instant, shard))
            world.blobs.remove(anchors.roots_name(instant))
