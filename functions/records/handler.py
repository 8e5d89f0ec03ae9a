"""POST /v1/records; GET, DELETE /v1/records/{id}; GET /audit, /versions below; changes."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("records")


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer one HTTP request about full records."""
    return answer_http(event, ROWS, world())
