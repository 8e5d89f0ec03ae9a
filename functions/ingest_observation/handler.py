"""POST /v1/ingest/observation: an observed fact becomes a semantic record."""

from membrane.adapters.aws_lambda.events.entry import answer
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("ingest_observation")


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Answer one event from HTTP, bus, queue or direct invocation."""
    return answer(event, context, ROWS, world())
