"""Read a record by id, now or as of an instant, within the trust."""

from datetime import datetime
from typing import TYPE_CHECKING

from membrane.domain.language.errors import FailedPrecondition, InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.requests import RetrieveById
from membrane.domain.records.states import successor_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.records.versions import as_of, require_past
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.visibility import load_alive, require_trust, require_visible
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.records.replies import RecordReply

MAX_STEPS = 500
"""The most successors that one request follows."""


def read_record(request: RetrieveById, call: Call, world: World) -> "RecordReply":
    """The reply with the record; raises as `retrieve_by_id`."""
    return {"record": as_json(retrieve_by_id(request, call, world))}


def retrieve_by_id(request: RetrieveById, call: Call, world: World) -> MemoryRecord:
    """The record now, the record as of an instant, or the last of a chain of successors.

    Raises NotFound, and PermissionDenied if only the trust of the request excludes the record; both
    also for each successor and for the past state. InvalidArgument for a future instant, or for
    `as_of` with `resolve`; FailedPrecondition for more than MAX_STEPS successors.
    """
    if request.as_of is not None and request.resolve is not None:
        raise InvalidArgument("as_of and resolve do not go together")
    stored = _living(request.id, request, call, world)
    if request.as_of is not None:
        require_past(request.as_of, rfc3339(world.now()))
        then = require_visible(as_of(stored, request.as_of), call.principal)
        require_trust(then, call.principal, request.trust)
        instant_s = epoch_seconds(datetime.fromisoformat(request.as_of))
        return then.as_of(instant_s, world.policy.custom_curves)
    if request.resolve is not None:
        stored = _latest(stored, request, call, world)
    return stored.as_of(epoch_seconds(world.now()), world.policy.custom_curves)


def _living(record_id: str, request: RetrieveById, call: Call, world: World) -> StoredRecord:
    whole = request.as_of is not None
    stored = load_alive(record_id, call.principal, world, whole=whole)
    require_trust(stored, call.principal, request.trust)
    return stored


def _latest(stored: StoredRecord, request: RetrieveById, call: Call, world: World) -> StoredRecord:
    steps = 0
    while (successor := successor_of(stored.record.payload)) is not None:
        if steps == MAX_STEPS:
            raise FailedPrecondition(
                f"more than {MAX_STEPS} records follow: go on from record {stored.id}"
            )
        stored = _living(successor, request, call, world)
        steps += 1
    return stored
