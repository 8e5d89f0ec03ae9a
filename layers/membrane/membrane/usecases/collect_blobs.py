"""Remove blobs that no record, topic or document names: leftovers of a crash between blob and item.

The bucket keeps a removed blob for the recovery period; a blob of an erased record or document goes
for good.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby

from membrane.domain.documents.places import document_of
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.form import topic_of
from membrane.usecases.ports.world import World

GRACE = timedelta(days=1)
"""A younger blob may belong to a write under way, which puts the blob before the item."""


@dataclass(frozen=True, slots=True)
class Collected:
    listed: int
    removed: int


def collect_blobs(world: World) -> Collected:
    """List every blob and remove the orphans older than GRACE."""
    listed = removed = 0
    for owner, blobs in groupby(world.blobs.list_blobs(), key=lambda blob: blob.record_id):
        every = list(blobs)
        listed += len(every)
        settled = world.now() - GRACE
        old = [blob.name for blob in every if blob.written_at <= settled]
        if old:
            removed += _remove_orphans(owner, old, settled, world)
    return Collected(listed, removed)


def _remove_orphans(owner: str, old: Sequence[str], settled: datetime, world: World) -> int:
    """The number of removed blobs; a write that lost against an erasure has left those erased."""
    topic_id, place_id = topic_of(owner), document_of(owner)
    is_erased: Callable[[], bool] = partial(world.records.is_erased, owner)
    if topic_id is not None:
        named, is_erased = world.topics.blob_names(topic_id), lambda: False
    elif place_id is not None:
        named = world.documents.blob_names(place_id)
        is_erased = partial(world.documents.is_erased, place_id)
    else:
        named = world.records.blob_names(owner)
    orphans = [name for name in old if name not in named]
    remove = world.blobs.erase if orphans and is_erased() else world.blobs.remove
    if place_id is not None and not named:
        world.documents.forget_values(place_id, epoch_seconds(settled))
    for orphan in orphans:
        remove(orphan)
    return len(orphans)
