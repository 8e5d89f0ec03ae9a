"""An entity as a list shows it."""

from typing import TYPE_CHECKING

from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import MemoryRecord

if TYPE_CHECKING:
    from membrane.domain.entities.replies import ListedEntity


def listed_entity(record: MemoryRecord, payload: EntityPayload) -> "ListedEntity":
    return {
        "id": record.id,
        "name": payload.canonical_name,
        "type": payload.primary_type,
        "aliases": [each.value for each in payload.aliases],
        "scope": record.scope,
    }


def is_of_type(payload: EntityPayload, wanted: str | None) -> bool:
    """Whether the entity has the type, by any case; every entity has the type None."""
    types = {each.strip().casefold() for each in (payload.primary_type, *payload.types)}
    return wanted is None or wanted.strip().casefold() in types
