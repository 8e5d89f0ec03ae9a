"""The capture as stored now, before anything that a model read in the capture is written."""

from membrane.domain.language.errors import Aborted
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.linkable_records import is_alive
from membrane.usecases.ports.services import Services


class CaptureGoneError(Exception):
    """The capture was deleted, erased or retracted since the model was asked."""


def load_standing(held: StoredRecord, services: Services) -> StoredRecord:
    """The newest version of the capture, for a model that was asked about the version `held`.

    Raises CaptureGoneError, and the error of `require_same_place`.
    """
    newest = services.records.load(held.id)
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
