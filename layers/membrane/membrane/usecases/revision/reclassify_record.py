"""Give one record another scope, sensitivity or tags, or take it up again."""

from functools import partial

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import TooManyProfiles
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.states import is_retracted, successor_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.classification import (
    reclassified_version,
    require_any_change,
    require_raised,
    require_vacant,
)
from membrane.domain.revision.requests import Reclassify
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import Step, change
from membrane.usecases.revision.heads import seat


def reclassify_record(request: Reclassify, call: Call, services: Services) -> Result:
    """File it as asked for, within what the caller may write.

    Where a record taken up again would be one decay class too many, it gets its type's profile.
    Raises as `change` does, InvalidArgument where nothing is asked for, and FailedPrecondition for
    a record taken up that was not retracted, or was replaced, or whose place another fact has.
    """
    require_any_change(request)
    is_admin = Permission.ADMIN in call.principal.permissions

    def filed(stored: StoredRecord, making: Making, *, by_default: bool = False) -> Step:
        require_raised(stored.sensitivity, request.sensitivity, is_admin=is_admin)
        if request.retracted is not None:
            named = successor_of(stored.record.payload)
            require_vacant(stored, None if named is None else services.records.load(named))
        why = call.why(request)
        after = reclassified_version(
            stored, request, why, making, services.policy, by_default=by_default
        )
        call.principal.require_write(after.scope, after.sensitivity)
        if not _appears(stored, after):
            return Step(after)
        return Step(after, heads=seat(after.record, call.principal, services))

    try:
        return change(request.id, filed, call, services)
    except TooManyProfiles:
        if request.retracted is None:
            raise
        return change(request.id, partial(filed, by_default=True), call, services)


def _appears(before: StoredRecord, after: StoredRecord) -> bool:
    """Whether it counts where it did not count before, or for whom it did not."""
    if is_retracted(after.record.payload):
        return False
    return (
        is_retracted(before.record.payload)
        or after.scope != before.scope
        or after.sensitivity.level < before.sensitivity.level
    )
