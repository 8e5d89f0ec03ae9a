"""Revisions below POST /v1/records/{id}; PATCH; POST /v1/entities/{id}/merge and /split."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("revisions")


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer one HTTP request for a revision of records."""
    return answer_http(event, ROWS, world())
