"""Load the entity that an id means for a reader."""

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.errors import NotFound
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.states import is_retracted, successor_of
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.visibility import load_alive, require_trust
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import MAX_SUCCESSORS

NO_ENTITY = "entity not found"


def load_entity(entity_id: str, trust: TrustInput, call: Call, world: World) -> StoredRecord:
    """The entity, or the entity that absorbed or replaced the entity of the id.

    Raises NotFound for an absent or hidden entity and for a record of another type, and
    PermissionDenied if the trust of the request excludes the entity.
    """
    for _ in range(1 + MAX_SUCCESSORS):
        held = load_alive(entity_id, call.principal, world, missing=NO_ENTITY)
        if not isinstance(held.record.payload, EntityPayload):
            raise NotFound(NO_ENTITY)
        successor_id = successor_of(held.record.payload)
        if successor_id is None or not is_retracted(held.record.payload):
            require_trust(held, call.principal, trust)
            return held
        entity_id = successor_id
    raise NotFound(NO_ENTITY)
