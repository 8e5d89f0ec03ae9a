"""POST /v1/query: topics with fields and neighbours, the likeliest first."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import ready, world

ROWS = rows_of("query")


@ready("topics")
def handler(event: Event, _context: Context) -> Reply:
    """Answer a question about topics."""
    return answer_http(event, ROWS, world())
