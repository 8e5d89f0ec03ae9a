"""The edges that point at an entity, from records that a reader may see, the newest first."""

from collections.abc import Iterator
from heapq import merge

from membrane.domain.entities.merging import absorbed_ids, entity_of
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.records import Incoming
from membrane.usecases.ports.services import Services

AT_ONCE = 50
"""The records of a read."""

MOST_READ = 2_000
"""The most edges that a call reads, visible or not."""

Place = tuple[float, str]
"""The negated creation time of the source in seconds since 1970, and the source's id."""


def edges_to(
    entity: StoredRecord, services: Services, after: Place | None = None
) -> Iterator[Incoming]:
    """The edges to the entity and to the entities it has absorbed, the newest source first."""
    before = None if after is None else (-after[0], after[1])
    ids = (entity.id, *absorbed_ids(entity_of(entity.record)))
    several = (services.records.incoming(each, before=before) for each in ids)
    return (
        each for each in merge(*several, key=place_of) if after is None or place_of(each) > after
    )


def place_of(edge: Incoming) -> Place:
    return (-edge.born_s, edge.source_id)
