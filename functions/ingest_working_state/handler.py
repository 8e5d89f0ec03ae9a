"""POST /v1/ingest/working-state: the state of a task becomes a working record."""

from membrane.adapters.aws_lambda.entry import Context, Event, Reply, answer
from membrane.adapters.aws_lambda.report_routes import INGEST_WORKING_STATE
from membrane.wiring import services


def handler(event: Event, context: Context) -> Reply:
    """Answer one event from HTTP, bus, queue or direct invocation."""
    return answer(event, context, INGEST_WORKING_STATE, services())
