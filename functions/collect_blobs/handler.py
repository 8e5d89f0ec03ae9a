"""Scheduled: removes blobs that nothing names, and stores the settings' decay classes."""

from membrane.adapters.aws_lambda.events.jobs import collect
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.documents import document_services
from membrane.wiring.invocations import note_request
from membrane.wiring.services import services
from membrane.wiring.topic_store import topic_store


@note_request
def handler(_event: Event, _context: Context) -> Reply:
    """Run the job once."""
    return collect(services(), topic_store(), document_services().documents)
