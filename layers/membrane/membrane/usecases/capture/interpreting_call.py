"""The call by which the service writes what a model adds to a capture."""

from membrane.domain.access.principals import INTERPRETER, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call

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
