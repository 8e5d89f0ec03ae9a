"""POST /v1/ingest; /v1/topics with fields and relationships; /v1/graph; /v1/reason."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import ready, world

ROWS = rows_of("topics")


@ready("topics")
def handler(event: Event, _context: Context) -> Reply:
    """Answer an HTTP request about topics."""
    return answer_http(event, ROWS, world())
