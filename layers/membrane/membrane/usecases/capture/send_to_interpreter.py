"""Send a stored capture to the interpreting model, if a model interprets captures."""

from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.interpreting_call import is_interpreted
from membrane.usecases.ports.services import Services


def send_to_interpreter(held: StoredRecord, services: Services) -> None:
    """Send id and version of a capture, unless a model has interpreted the capture.

    A repeat of a capture sends again: the interpretation itself happens once. Raises Unavailable;
    the capture stays stored, and the caller repeats the request under the same key.
    """
    send = services.send_to_interpreter
    if send is not None and not is_interpreted(held):
        send(held.id, held.version, 0)
