"""Invoked by `membrane verify`: compares the table with the anchors."""

from membrane.adapters.aws_lambda.events.verification import verify
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.invocations import note_request
from membrane.wiring.services import services
from membrane.wiring.topic_store import topic_store


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Run one step of a verification."""
    return verify(event, context, services(), topic_store())
