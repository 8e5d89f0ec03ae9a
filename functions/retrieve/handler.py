"""POST /v1/retrieve…; GET /v1/records, /threads/…, /receipts/…, /entities…, /consolidations."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import ready, world

ROWS = rows_of("retrieve")


@ready("search")
def handler(event: Event, _context: Context) -> Reply:
    """Answer one retrieval."""
    return answer_http(event, ROWS, world())
