"""The capture as stored now, before anything that a model read in the capture is written."""

from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.linkable_records import is_alive
from membrane.usecases.ports.services import Services


class CaptureGoneError(Exception):
    """The capture was deleted, erased or retracted since the model was asked."""


def load_standing(capture_id: str, services: Services) -> StoredRecord:
    """The newest version of the capture; raises CaptureGoneError."""
    held = services.records.load(capture_id)
    if not is_alive(held) or is_retracted(held.record.payload):
        raise CaptureGoneError
    return held
