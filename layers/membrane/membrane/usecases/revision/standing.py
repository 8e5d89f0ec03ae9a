"""Contest, resolve, retract or reclassify a record, each on the one loop of `change`."""

from functools import partial

from membrane.domain.entities.merging import require_not_absorbed
from membrane.domain.ingest.builder import Making
from membrane.domain.language import errors
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records import standing
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision import changes, requests
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.visibility import load_alive, missing_of
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import absorbed_by, absorbing_entity
from membrane.usecases.records.write import Step, change
from membrane.usecases.revision.claimed_names import move_names
from membrane.usecases.revision.heads import claim_head
from membrane.usecases.revision.withdraw_evidence import withdraw_evidence

NO_TARGET = "contest: get record: record not found"


def contest_record(request: requests.Contest, call: Call, world: World) -> Result:
    """Mark a record as contested, by a record or by other evidence.

    A `contesting_ref` that the caller may not see counts as evidence, like an unknown id. Raises
    the errors of `change`; InvalidArgument for a record that contests itself; FailedPrecondition
    for an episode or a retracted record.
    """
    ref = request.contesting_ref or ""

    def contest(stored: StoredRecord, making: Making) -> Step:
        standing.require_revisable(stored)
        if ref == stored.id:
            raise errors.InvalidArgument("a record cannot contest itself")
        why = call.why(request)
        try:
            against = load_alive(ref, call.principal, world)
        except errors.NotFound:
            return Step(changes.contested_version(stored, None, why, making, evidence=ref))
        return Step(changes.contested_version(stored, against.id, why, making), targets=(against,))

    return change(request.id, contest, call, world, missing=NO_TARGET)


def retract_record(request: requests.Retract, call: Call, world: World) -> Result:
    """Retract a record, which stays readable.

    Facts derived from the record are retracted first, unless other evidence is left.
    Raises the errors of `change`, and FailedPrecondition for an episode or a retracted record.
    """

    def retract(stored: StoredRecord, making: Making) -> StoredRecord:
        standing.require_revisable(stored, "retract")
        return _retracted_version(stored, request, making, call, world)

    missing = missing_of("retract", "record", request.id)
    return change(request.id, retract, call, world, missing=missing)


def resolve_contest(request: requests.Resolve, call: Call, world: World) -> Result:
    """End a contest: keep the record, retract the record, or supersede it by a second record.

    Raises the errors of `change`, for both records; InvalidArgument without a usable second record;
    FailedPrecondition if the record is not contested or the second record cannot be revised.
    """
    if request.superseded_by is not None and request.resolution != "supersede":
        raise errors.InvalidArgument("superseded_by goes with the resolution supersede alone")

    def resolve(stored: StoredRecord, making: Making) -> StoredRecord | Step:
        standing.require_revisable(stored, "resolve")
        if not standing.is_contested(stored.record.payload):
            raise errors.FailedPrecondition(f"resolve: record {stored.id} is not contested")
        why = call.why(request)
        match request.resolution:
            case "keep":
                return changes.kept_version(stored, why, making)
            case "retract":
                return _retracted_version(stored, request, making, call, world)
            case "supersede":
                other = _superseding_record(stored, request, call, world)
                of_other = call.making(other.id, making.now, world)
                after = changes.superseding_version(other, stored.id, why, of_other)
                require_still_returnable(other.record, after.record)
                replaced = changes.superseded_version(stored, other.id, why, making)
                return Step(replaced, also=((other, after),))

    missing = missing_of("resolve", "record", request.id)
    return change(request.id, resolve, call, world, missing=missing)


def _retracted_version(
    stored: StoredRecord,
    request: requests.Retract | requests.Resolve,
    making: Making,
    call: Call,
    world: World,
) -> StoredRecord:
    """The retracted record, whose derived facts have lost their evidence by now."""
    why = call.why(request)
    withdraw_evidence(stored, why, call, world, erase=False)
    return changes.retracted_version(stored, why, making)


def _superseding_record(
    stored: StoredRecord, request: requests.Resolve, call: Call, world: World
) -> StoredRecord:
    """The record named by the request, else the last contesting record, checked for replacement."""
    other_id = request.superseded_by or changes.last_contesting(stored.record)
    if other_id is None:
        raise errors.InvalidArgument("superseded_by is required: no record is known to contest it")
    if other_id == stored.id:
        raise errors.InvalidArgument("a record cannot supersede itself")
    missing = missing_of("resolve", "superseding record", other_id)
    other = load_alive(other_id, call.principal, world, missing=missing)
    call.principal.require_write(other.scope, other.sensitivity)
    standing.require_revisable(other, "resolve")
    if other.type is not stored.type:
        raise errors.InvalidArgument(f"resolve: record {other.id} is not of the type {stored.type}")
    return other


def reclassify_record(request: requests.Reclassify, call: Call, world: World) -> Result:
    """Change the scope, sensitivity or tags of a record, or undo a retraction.

    The names of an entity move along, or come back with a retraction undone; see `move_names`.
    Undoing a retraction removes a maximum age in the past; if the remaining profile needs one decay
    class too many, the record gets the default profile of the type. Raises the errors of `change`;
    InvalidArgument for an empty request; PermissionDenied for a lower sensitivity without `admin`;
    FailedPrecondition for undoing a retraction if the record is not retracted, was replaced, or
    conflicts with an active fact, and for another scope or sensitivity of a merged entity.
    """
    asked = {name: getattr(request, name) for name in requests.CLASSIFYING_FIELDS}
    fields = {name: value for name, value in asked.items() if value is not None}
    ends_retraction = request.retracted is not None
    if not fields and not ends_retraction:
        raise errors.InvalidArgument(
            "nothing is to be changed: give scope, sensitivity, tags or retracted"
        )

    def reclassify(stored: StoredRecord, making: Making, *, by_default: bool = False) -> Step:
        level = stored.sensitivity if request.sensitivity is None else request.sensitivity
        is_admin = Permission.ADMIN in call.principal.permissions
        if level.level < stored.sensitivity.level and not is_admin:
            raise errors.PermissionDenied(
                "lowering a record's sensitivity needs the permission admin"
            )
        if ends_retraction:
            _require_vacant(stored, world)
        after = changes.reclassified_version(
            stored,
            fields,
            call.why(request),
            making,
            ends_retraction=ends_retraction,
            by_default=by_default,
        )
        call.principal.require_write(after.scope, after.sensitivity)
        if (after.scope, after.sensitivity) != (stored.scope, stored.sensitivity):
            _require_unmerged(stored, world)
        names = move_names(stored, after, world)
        appears = after.scope != stored.scope or level.level < stored.sensitivity.level
        if not appears and not ends_retraction:
            return Step(after, names=names)
        heads = claim_head(after.record, call.principal, world)
        return Step(after, heads=heads, names=names)

    try:
        return change(request.id, reclassify, call, world)
    except errors.TooManyProfiles:
        if not ends_retraction:
            raise
        return change(request.id, partial(reclassify, by_default=True), call, world)


def _require_vacant(stored: StoredRecord, world: World) -> None:
    """Raise FailedPrecondition unless retracted, without a successor or a restorable one."""
    if not standing.is_retracted(stored.record.payload):
        raise errors.FailedPrecondition(f"record {stored.id} is not retracted")
    successor_id = standing.successor_of(stored.record.payload)
    successor = None if successor_id is None else world.records.load(successor_id)
    if not isinstance(successor, StoredRecord):
        return
    if successor.tombstone is not None:
        raise errors.FailedPrecondition(
            f"its successor {successor.id} is deleted: restore or erase that one"
        )
    raise errors.FailedPrecondition(f"it was superseded by {successor.id}: supersede that one")


def _require_unmerged(stored: StoredRecord, world: World) -> None:
    """Raises FailedPrecondition for a merged entity: all have one scope and sensitivity."""
    require_not_absorbed(absorbing_entity(stored, world), stored.id)
    if absorbed_by(stored, world):
        raise errors.FailedPrecondition(
            f"entity {stored.id} has absorbed entities: split them off first"
        )
