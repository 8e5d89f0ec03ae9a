"""POST /v1/ingest/working-state: the state of a task becomes a working record."""

from membrane.adapters.aws_lambda.events.entry import answer
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.routes.ingest import INGEST_WORKING_STATE
from membrane.wiring.invocations import note_request
from membrane.wiring.services import services


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Answer one event from HTTP, bus, queue or direct invocation."""
    return answer(event, context, INGEST_WORKING_STATE, services())
