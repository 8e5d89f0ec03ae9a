"""Send a stored capture to the model that interprets captures, if there is one."""

from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.interpreting_call import is_interpreted
from membrane.usecases.ports.services import Services


def send_to_interpreter(held: StoredRecord, services: Services) -> None:
    """Send id and version of a capture that no model has interpreted yet.

    A repeat of a capture sends again: the interpretation itself happens once. Raises Unavailable;
    the capture stays stored, so the caller repeats the request under its key.
    """
    send = services.send_to_interpreter
    if send is not None and not is_interpreted(held):
        send(held.id, held.version)
