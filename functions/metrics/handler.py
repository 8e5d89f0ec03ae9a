"""GET /v1/metrics: the stored records in numbers."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("metrics")


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer one snapshot."""
    return answer_http(event, ROWS, world())
