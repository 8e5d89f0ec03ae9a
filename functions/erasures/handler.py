"""POST /v1/erasures, GET /v1/erasures/{id}, GET /v1/erasures/{id}/certificate."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import ready, world

ROWS = rows_of("erasures")


@ready("erasure")
def handler(event: Event, _context: Context) -> Reply:
    """Answer an HTTP request about erasures."""
    return answer_http(event, ROWS, world())
