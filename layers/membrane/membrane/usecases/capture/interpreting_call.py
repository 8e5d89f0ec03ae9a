"""The call by which the service writes what a model adds, and the capture as stored then."""

from membrane.domain.access.principals import INTERPRETER, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.errors import Aborted
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.linkable_records import is_alive
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World

INTERPRET = "InterpretCapture"
"""The operation in reports, and in the mark of an interpreted record."""

_PERMISSIONS = frozenset((Permission.INGEST, Permission.READ))


def interpreting_call(held: StoredRecord, *, key: str = "") -> Call:
    """A call by a principal limited to the scope and the sensitivity of the capture.

    The key is the id of the capture unless one is given: so the capture is interpreted once.
    """
    scopes = (held.scope or ALL_SCOPES,)
    principal = Principal(INTERPRETER, _PERMISSIONS, scopes, held.sensitivity, Source.SERVICE)
    return Call(principal, INTERPRET, key or held.id, fingerprint=bytes(32))


def is_interpreted(held: StoredRecord) -> bool:
    """Whether a model has interpreted the capture."""
    return interpreting_call(held).operation in held.operations


class CaptureGoneError(Exception):
    """The capture was deleted, erased or retracted since the model was asked."""


def load_standing(held: StoredRecord, world: World) -> StoredRecord:
    """The newest version of the capture, for a model that was asked about the version `held`.

    Raises CaptureGoneError, and the error of `require_same_place`.
    """
    newest = world.records.load(held.id)
    if not is_alive(newest) or is_retracted(newest.record.payload):
        raise CaptureGoneError
    require_same_place(held, newest)
    return newest


def require_same_place(held: StoredRecord, newest: StoredRecord) -> None:
    """Raise Aborted for a capture that was reclassified: the model was offered other records.

    What the model read would be written under the earlier scope and sensitivity.
    """
    if (newest.scope, newest.sensitivity) != (held.scope, held.sensitivity):
        raise Aborted("the capture was reclassified while a model interpreted the capture")
