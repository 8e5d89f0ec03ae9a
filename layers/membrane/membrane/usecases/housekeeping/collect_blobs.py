"""Remove blobs that no record, topic or document names: leftovers of a crash between blob and item.

The bucket keeps a removed blob for the recovery period; a blob of an erased record or document goes
for good.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import NamedTuple

from membrane.domain.documents.places import document_of
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.large_values import topic_of
from membrane.usecases.ports.world import World

GRACE = timedelta(days=1)
"""A younger blob may belong to a write under way, which puts the blob before the item."""


class _Use(NamedTuple):
    """What tells orphans among the blobs of an owner."""

    named: Callable[[], Collection[str]]
    is_erased: Callable[[], bool]
    forget: Callable[[float], None] = lambda _: None
    """Removes what the table keeps beside large values, unless a later write needs it."""


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
        old = [blob for blob in every if blob.written_at <= settled]
        if not old:
            continue
        use = _use_of(owner, world)
        named = use.named()
        orphans = [blob for blob in old if blob.name not in named]
        remove = world.blobs.remove
        if orphans and use.is_erased():
            remove = world.blobs.erase  # left by a write that lost against the erasure
        if not named:
            use.forget(epoch_seconds(settled))
        for orphan in orphans:
            remove(orphan.name)
            removed += 1
    return Collected(listed, removed)


def _use_of(owner: str, world: World) -> _Use:
    topic_id, place_id = topic_of(owner), document_of(owner)
    if topic_id is not None:
        return _Use(partial(world.topics.blob_names, topic_id), lambda: False)
    if place_id is not None:
        documents = world.documents
        return _Use(
            partial(documents.blob_names, place_id),
            partial(documents.is_erased, place_id),
            partial(documents.forget_values, place_id),
        )
    records = world.records
    return _Use(partial(records.blob_names, owner), partial(records.is_erased, owner))
