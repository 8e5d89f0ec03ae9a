"""POST /v1/studies, GET /v1/studies/{id}, POST …/cancel, …/resume; POST /v1/studies/remove."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import ready, world

ROWS = rows_of("studies")


@ready("study")
def handler(event: Event, _context: Context) -> Reply:
    """Answer an HTTP request about studies."""
    return answer_http(event, ROWS, world())
