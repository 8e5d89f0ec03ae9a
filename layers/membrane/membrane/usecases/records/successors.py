"""The active record at the end of a chain of replaced and absorbed records."""

from membrane.domain.entities.merging import MAX_ABSORBED_IN_ALL
from membrane.domain.records.states import is_retracted, successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.services import Services

MAX_SUCCESSORS = MAX_ABSORBED_IN_ALL
"""Steps from an entity to the entity that replaced or absorbed the first."""


def newest_entity(
    held: AnyRecord, known: dict[str, AnyRecord], services: Services
) -> StoredRecord | None:
    """The active entity at the end of the chain of successors; None for an end without one.

    One request for each successor that is not `known`.
    """
    for _ in range(MAX_SUCCESSORS):
        if not isinstance(held, StoredRecord) or held.tombstone is not None:
            return None
        if not is_retracted(held.record.payload):
            return held
        successor_id = successor_of(held.record.payload)
        if successor_id is None:
            return None
        if successor_id not in known:
            known |= services.records.load_each([successor_id])
        successor = known.get(successor_id)
        if successor is None:
            return None
        held = successor
    return None
