"""Contest one record, resolve its contest, or retract it."""

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument, NotFound
from membrane.domain.records.limits import require_still_returnable
from membrane.domain.records.states import is_contested, require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.next_versions import (
    contested_version,
    kept_version,
    last_contesting,
    retracted_version,
    superseded_version,
    superseding_version,
)
from membrane.domain.revision.requests import Contest, Resolve, Retract
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.visibility import load_alive, missing_of
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import Step, change

NO_TARGET = "contest: get record: record not found"


def contest_record(request: Contest, call: Call, services: Services) -> Result:
    """Mark it contested; by the record that is named, or by evidence that is none.

    A record that the caller may not see is none to it. Raises as `change` does, InvalidArgument for
    a record that is to contest itself, FailedPrecondition for an episode and a retracted record.
    """
    ref = request.contesting_ref or ""

    def doubted(stored: StoredRecord, making: Making) -> Step:
        require_revisable(stored)
        if ref == stored.id:
            raise InvalidArgument("a record cannot contest itself")
        why = call.why(request)
        try:
            against = load_alive(ref, call.principal, services)
        except NotFound:
            return Step(contested_version(stored, None, why, making, evidence=ref))
        return Step(contested_version(stored, against.id, why, making), targets=(against,))

    return change(request.id, doubted, call, services, missing=NO_TARGET)


def retract_record(request: Retract, call: Call, services: Services) -> Result:
    """Take it back: it is kept for reading, and counts no more.

    Raises as `change` does, and FailedPrecondition for an episode and a retracted record.
    """

    def taken_back(stored: StoredRecord, making: Making) -> StoredRecord:
        require_revisable(stored, "retract")
        return retracted_version(stored, call.why(request), making, services.policy)

    missing = missing_of("retract", "record", request.id)
    return change(request.id, taken_back, call, services, missing=missing)


def resolve_contest(request: Resolve, call: Call, services: Services) -> Result:
    """Decide that it holds after all, or not, or that another record stands in its place.

    Raises as `change` does, also for the other record, InvalidArgument where no record can take its
    place, and FailedPrecondition where it is not contested, or the other is not to be revised.
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
                return kept_version(stored, why, making)
            case "retract":
                return retracted_version(stored, why, making, services.policy)
            case "supersede":
                return _replaced(stored, request, making, call, services)

    missing = missing_of("resolve", "record", request.id)
    return change(request.id, decided, call, services, missing=missing)


def _replaced(
    stored: StoredRecord, request: Resolve, making: Making, call: Call, services: Services
) -> Step:
    other = _in_its_place(stored, request, call, services)
    why = call.why(request)
    after = superseding_version(other, stored.id, why, call.making(other.id, making.now, services))
    require_still_returnable(other.record, after.record)
    return Step(
        superseded_version(stored, other.id, why, making, services.policy), also=((other, after),)
    )


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
    other = load_alive(other_id, call.principal, services, missing=missing)
    call.principal.require_write(other.scope, other.sensitivity)
    require_revisable(other, "resolve")
    if other.type is not stored.type:
        raise InvalidArgument(f"resolve: record {other.id} is not of the type {stored.type}")
    return other
