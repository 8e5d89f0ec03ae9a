"""Remove blobs that no record or topic names: leftovers of a crash between blob and item.

The bucket keeps a removed blob for the recovery period; a blob of an erased record goes for good.
"""

from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from membrane.domain.topics.large_values import topic_of
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.topics import TopicStore

GRACE = timedelta(days=1)
"""A younger blob may belong to a write under way, which puts the blob before the item."""


@dataclass(frozen=True, slots=True)
class Collected:
    listed: int
    removed: int


def collect_blobs(services: Services, topics: TopicStore) -> Collected:
    """List every blob and remove the orphans older than GRACE."""
    listed = removed = 0
    for owner, blobs in groupby(services.blobs.list_blobs(), key=lambda blob: blob.record_id):
        every = list(blobs)
        listed += len(every)
        old = [blob for blob in every if blob.written_at <= services.now() - GRACE]
        if not old:
            continue
        topic_id = topic_of(owner)
        if topic_id is None:
            named = services.records.blob_names(owner)
        else:
            named = topics.blob_names(topic_id)
        orphans = [blob for blob in old if blob.name not in named]
        remove = services.blobs.remove
        if orphans and topic_id is None and services.records.is_erased(owner):
            remove = services.blobs.erase  # left by a write that lost against the erasure
        for orphan in orphans:
            remove(orphan.name)
            removed += 1
    return Collected(listed, removed)
