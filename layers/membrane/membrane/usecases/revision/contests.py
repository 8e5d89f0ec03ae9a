"""Contest a record, resolve a contest, or retract a record."""

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument, NotFound
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import is_contested, require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import (
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
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import Step, change
from membrane.usecases.revision.withdraw_evidence import withdraw_evidence

NO_TARGET = "contest: get record: record not found"


def contest_record(request: Contest, call: Call, world: World) -> Result:
    """Mark a record as contested, by a record or by other evidence.

    A `contesting_ref` that the caller may not see counts as evidence, like an unknown id. Raises
    the errors of `change`; InvalidArgument for a record that contests itself; FailedPrecondition
    for an episode or a retracted record.
    """
    ref = request.contesting_ref or ""

    def contest(stored: StoredRecord, making: Making) -> Step:
        require_revisable(stored)
        if ref == stored.id:
            raise InvalidArgument("a record cannot contest itself")
        why = call.why(request)
        try:
            against = load_alive(ref, call.principal, world)
        except NotFound:
            return Step(contested_version(stored, None, why, making, evidence=ref))
        return Step(contested_version(stored, against.id, why, making), targets=(against,))

    return change(request.id, contest, call, world, missing=NO_TARGET)


def retract_record(request: Retract, call: Call, world: World) -> Result:
    """Retract a record, which stays readable.

    Facts derived from the record are retracted first, unless other evidence is left.
    Raises the errors of `change`, and FailedPrecondition for an episode or a retracted record.
    """

    def retract(stored: StoredRecord, making: Making) -> StoredRecord:
        require_revisable(stored, "retract")
        return _retracted_version(stored, call.why(request), making, call, world)

    missing = missing_of("retract", "record", request.id)
    return change(request.id, retract, call, world, missing=missing)


def resolve_contest(request: Resolve, call: Call, world: World) -> Result:
    """End a contest: keep the record, retract the record, or supersede it by a second record.

    Raises the errors of `change`, for both records; InvalidArgument without a usable second record;
    FailedPrecondition if the record is not contested or the second record cannot be revised.
    """
    if request.superseded_by is not None and request.resolution != "supersede":
        raise InvalidArgument("superseded_by goes with the resolution supersede alone")

    def resolve(stored: StoredRecord, making: Making) -> StoredRecord | Step:
        require_revisable(stored, "resolve")
        if not is_contested(stored.record.payload):
            raise FailedPrecondition(f"resolve: record {stored.id} is not contested")
        why = call.why(request)
        match request.resolution:
            case "keep":
                return kept_version(stored, why, making)
            case "retract":
                return _retracted_version(stored, why, making, call, world)
            case "supersede":
                return _superseding_step(stored, request, making, call, world)

    missing = missing_of("resolve", "record", request.id)
    return change(request.id, resolve, call, world, missing=missing)


def _retracted_version(
    stored: StoredRecord, why: Why, making: Making, call: Call, world: World
) -> StoredRecord:
    """The retracted record, whose derived facts have lost their evidence by now."""
    withdraw_evidence(stored, why, call, world, erase=False)
    return retracted_version(stored, why, making)


def _superseding_step(
    stored: StoredRecord, request: Resolve, making: Making, call: Call, world: World
) -> Step:
    other = _superseding_record(stored, request, call, world)
    why = call.why(request)
    after = superseding_version(other, stored.id, why, call.making(other.id, making.now, world))
    require_still_returnable(other.record, after.record)
    return Step(superseded_version(stored, other.id, why, making), also=((other, after),))


def _superseding_record(
    stored: StoredRecord, request: Resolve, call: Call, world: World
) -> StoredRecord:
    """The record named by the request, else the last contesting record, checked for replacement."""
    other_id = request.superseded_by or last_contesting(stored.record)
    if other_id is None:
        raise InvalidArgument("superseded_by is required: no record is known to contest it")
    if other_id == stored.id:
        raise InvalidArgument("a record cannot supersede itself")
    missing = missing_of("resolve", "superseding record", other_id)
    other = load_alive(other_id, call.principal, world, missing=missing)
    call.principal.require_write(other.scope, other.sensitivity)
    require_revisable(other, "resolve")
    if other.type is not stored.type:
        raise InvalidArgument(f"resolve: record {other.id} is not of the type {stored.type}")
    return other
