"""POST /v1/uploads: a place for a value too large for a request."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("uploads")


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Open one upload."""
    return answer_http(event, ROWS, world())
