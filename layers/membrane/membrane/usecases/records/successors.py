"""The record at the end of a chain of replaced and absorbed records, and what a record absorbed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from membrane.domain.entities import merging
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.standing import is_retracted, successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.usecases.ports.world import World

MAX_SUCCESSORS = merging.MAX_ABSORBED_IN_ALL
"""Steps from an entity to the entity that replaced or absorbed the first."""

Held = TypeVar("Held", bound=AnyRecord)


def newest_entity(
    held: AnyRecord, known: dict[str, AnyRecord], world: World
) -> StoredRecord | None:
    """The active entity at the end of the successors, if any. One request for each unknown."""

    def find(record_id: str) -> AnyRecord | None:
        if record_id not in known:
            known.update(world.records.load_each([record_id]))
        return known.get(record_id)

    return _end_of_chain(held, find)


def newest_known(held: AnyRecord, known: Mapping[str, AnyRecord]) -> StoredRecord | None:
    """Like `newest_entity`, along the `known` records alone."""
    return _end_of_chain(held, known.get)


def with_successors(
    entity_ids: Iterable[str],
    load: Callable[[Sequence[str]], Mapping[str, Held]],
    loaded: Mapping[str, Held] = MappingProxyType({}),
) -> dict[str, Held]:
    """The records of the ids and of all successors, by id; a chain ends where `load` has no record.

    One `load` for the ids, and one for each step to successors. `loaded` are records that need no
    `load`.
    """
    known, asked, wanted = dict[str, Held](), frozenset[str](), frozenset(entity_ids)
    for _ in range(1 + MAX_SUCCESSORS):
        if not wanted:
            break
        unread = sorted(wanted - loaded.keys())
        known |= {each: loaded[each] for each in wanted if each in loaded}
        known |= load(unread) if unread else {}
        asked |= wanted
        wanted = frozenset(successor_ids(known.values())) - asked
    return known


def successor_ids(records: Iterable[AnyRecord]) -> Iterator[str]:
    """The ids of the next successors of the replaced and absorbed records."""
    for held in records:
        if isinstance(held, StoredRecord) and is_retracted(held.record.payload):
            successor_id = successor_of(held.record.payload)
            if successor_id is not None:
                yield successor_id


def _end_of_chain(held: AnyRecord, find: Callable[[str], AnyRecord | None]) -> StoredRecord | None:
    for _ in range(MAX_SUCCESSORS):
        if not is_alive(held):
            return None
        if not is_retracted(held.record.payload):
            return held
        successor_id = successor_of(held.record.payload)
        successor = None if successor_id is None else find(successor_id)
        if successor is None:
            return None
        held = successor
    return None


def absorbed_by(held: AnyRecord, world: World) -> Sequence[StoredRecord]:
    """The entities that an entity has absorbed, directly or by another, living or deleted.

    One request, and one for each absorbed entity of several items; none for any other record.
    """
    if not isinstance(held, StoredRecord) or not isinstance(held.record.payload, EntityPayload):
        return ()
    ids = merging.absorbed_ids(held.record.payload)
    return merging.absorbed_among(held, world.records.load_each(ids)) if ids else ()


def absorbing_entity(held: AnyRecord, world: World) -> StoredRecord | None:
    """The entity that has absorbed the entity, living or deleted; None for any other record.

    One request for an entity with a successor; none for any other record.
    """
    if not isinstance(held, StoredRecord) or not isinstance(held.record.payload, EntityPayload):
        return None
    successor_id = successor_of(held.record.payload)
    successor = None if successor_id is None else world.records.load(successor_id)
    if not isinstance(successor, StoredRecord) or not merging.is_absorbed_by(successor, held):
        return None
    return successor


def absorbing_entities(held: AnyRecord, world: World) -> Sequence[StoredRecord]:
    """The entity that has absorbed the entity, the entity that has absorbed that one, and so on."""
    found = list[StoredRecord]()
    while len(found) < MAX_SUCCESSORS:
        absorbing = absorbing_entity(found[-1] if found else held, world)
        if absorbing is None:
            break
        found.append(absorbing)
    return found
