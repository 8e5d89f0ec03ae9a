"""POST /v1/exports; GET /v1/exports, /v1/exports/{id}."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("exports")


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer an HTTP request about exports."""
    return answer_http(event, ROWS, world())
