"""The entities that an entity has absorbed: all of them are one thing."""

from collections.abc import Sequence

from membrane.domain.entities.merging import absorbed_among, absorbed_ids
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.services import Services


def absorbed_by(held: AnyRecord, services: Services) -> Sequence[StoredRecord]:
    """The entities that an entity has absorbed, directly or by another, living or deleted.

    One request, and one for each absorbed entity of several items; none for any other record.
    """
    if not isinstance(held, StoredRecord) or not isinstance(held.record.payload, EntityPayload):
        return ()
    ids = absorbed_ids(held.record.payload)
    return absorbed_among(held, services.records.load_each(ids)) if ids else ()
