"""Remove blobs that no record names: what a crash between blob and item leaves behind."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from membrane.usecases.ports.bucket import Blob
from membrane.usecases.ports.services import Services

GRACE = timedelta(days=1)
"""A younger blob may belong to a write under way: blob first, item second."""


@dataclass(frozen=True, slots=True)
class Collected:
    """How many blobs were looked at, and how many removed."""

    listed: int
    removed: int


def collect_blobs(services: Services) -> Collected:
    """Look at every blob and remove the orphans among those past GRACE."""
    listed = removed = 0
    for record_id, blobs in groupby(services.blobs.listed(), key=lambda blob: blob.record_id):
        every = list(blobs)
        listed += len(every)
        for orphan in _orphans(record_id, every, services):
            services.blobs.remove(orphan.name)
            removed += 1
    return Collected(listed, removed)


def _orphans(record_id: str, blobs: list[Blob], services: Services) -> Iterator[Blob]:
    old = [blob for blob in blobs if blob.written_at <= services.now() - GRACE]
    if not old:
        return
    named = services.records.blob_names(record_id)
    yield from (blob for blob in old if blob.name not in named)
