"""POST /v1/ingest/batch: a batch of up to 100 reports."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("ingest_batch")


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer a batch request."""
    return answer_http(event, ROWS, world())
