"""Contest one record: something speaks against it."""

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.records.states import require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.effects import contested
from membrane.domain.revision.requests import Contest
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.visibility import load_visible, require_alive
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import Step, change

NO_TARGET = "contest: get record: record not found"


def contest_record(request: Contest, call: Call, services: Services) -> Result:
    """Mark it contested; by the record that is named, or by evidence that is none.

    A record that the caller may not see is none to it. Raises NotFound, PermissionDenied,
    InvalidArgument for a record that is to contest itself, TooLarge, Aborted, and
    FailedPrecondition for an episode and for what is retracted.
    """
    ref = request.contesting_ref or ""

    def doubted(stored: StoredRecord, making: Making) -> Step:
        require_revisable(stored)
        if ref == stored.id:
            raise InvalidArgument("a record cannot contest itself")
        why = call.why(request)
        against = _record(ref, call, services)
        if against is None:
            return Step(contested(stored, None, why, making, evidence=ref))
        return Step(contested(stored, against.id, why, making), targets=(against,))

    return change(request.id, doubted, call, services, missing=NO_TARGET)


def _record(ref: str, call: Call, services: Services) -> StoredRecord | None:
    try:
        return require_alive(load_visible(ref, call.principal, services))
    except NotFound:
        return None
