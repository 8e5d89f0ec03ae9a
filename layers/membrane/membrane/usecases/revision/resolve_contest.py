"""Resolve the contest of one record: it holds after all, or not, or another stands in its place."""

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument
from membrane.domain.records.limits import require_still_returnable
from membrane.domain.records.states import is_contested, require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.effects import kept, last_contesting, replacing, retracted, superseded
from membrane.domain.revision.requests import Resolve
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.visibility import load_visible, missing_of, require_alive
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import Step, change


def resolve_contest(request: Resolve, call: Call, services: Services) -> Result:
    """Decide about it.

    Raises NotFound for it, and for the record in its place, where it is absent or may not be seen,
    PermissionDenied, InvalidArgument where no record can take its place, TooLarge, Aborted, and
    FailedPrecondition where it is not contested, or the other is not to be revised.
    """
    if request.superseded_by is not None and request.resolution != "supersede":
        raise InvalidArgument("superseded_by goes with the resolution supersede alone")

    def decided(stored: StoredRecord, making: Making) -> StoredRecord | Step:
        require_revisable(stored, "resolve")
        if not is_contested(stored.record.payload):
            raise FailedPrecondition(f"resolve: record {stored.id} is not contested")
        why = call.why(request)
        match request.resolution:
            case "keep":
                return kept(stored, why, making)
            case "retract":
                return retracted(stored, why, making, services.policy)
            case "supersede":
                return _replaced(stored, request, making, call, services)

    missing = missing_of("resolve", "record", request.id)
    return change(request.id, decided, call, services, missing=missing)


def _replaced(
    stored: StoredRecord, request: Resolve, making: Making, call: Call, services: Services
) -> Step:
    other = _in_its_place(stored, request, call, services)
    why = call.why(request)
    after = replacing(other, stored.id, why, call.making(other.id, making.now, services))
    require_still_returnable(other.record, after.record)
    return Step(superseded(stored, other.id, why, making, services.policy), also=((other, after),))


def _in_its_place(
    stored: StoredRecord, request: Resolve, call: Call, services: Services
) -> StoredRecord:
    """The record that is named, or the last one that contests it; fit to replace it."""
    other_id = request.superseded_by or last_contesting(stored.record)
    if other_id is None:
        raise InvalidArgument("superseded_by is required: no record is known to contest it")
    if other_id == stored.id:
        raise InvalidArgument("a record cannot supersede itself")
    missing = missing_of("resolve", "superseding record", other_id)
    held = load_visible(other_id, call.principal, services, missing=missing)
    other = require_alive(held, missing=missing)
    call.principal.require_write(other.scope, other.sensitivity)
    require_revisable(other, "resolve")
    if other.type is not stored.type:
        raise InvalidArgument(f"resolve: record {other.id} is not of the type {stored.type}")
    return other
