"""The records whose edges point at an entity, the newest first, visible or not."""

from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from typing import NamedTuple

from membrane.domain.entities.merging import absorbed_ids, entity_of
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.predicates import TO_ENTITIES
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.records import Incoming
from membrane.usecases.ports.world import World

AT_ONCE = 50
"""The records of a read."""

MOST_READ = 2_000
"""The most records with edges to the entity that a call reads, visible or not."""

Place = tuple[float, str]
"""The negated creation time of the source in seconds since 1970, and the source's id."""


class Mentioning(NamedTuple):
    """A record with edges to an entity."""

    place: Place
    predicates: tuple[str, ...]
    """Distinct, sorted, of relations to entities alone; may be empty."""
    origins: frozenset[tuple[str, Sensitivity]]
    """Scope and sensitivity of the record, as the edges have them."""

    @property
    def source_id(self) -> str:
        return self.place[1]


def mentions_of(
    entity: StoredRecord, world: World, after: Place | None = None
) -> Iterator[Mentioning]:
    """Each record with edges to the entity or to an entity once absorbed, the newest first."""
    before = None if after is None else (-after[0], after[1])
    ids = (entity.id, *absorbed_ids(entity_of(entity.record)))
    several = (world.records.incoming(each, before=before) for each in ids)
    for place, edges in groupby(merge(*several, key=_place_of), key=_place_of):
        if after is None or place > after:
            together = list(edges)
            named = {each.predicate for each in together} & TO_ENTITIES
            origins = frozenset((each.scope, each.sensitivity) for each in together)
            yield Mentioning(place, tuple(sorted(named)), origins)


def _place_of(edge: Incoming) -> Place:
    return (-edge.born_s, edge.source_id)
