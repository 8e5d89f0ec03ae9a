"""…/v1/documents/{path+}, POST /v1/documents/batch, …/search; GET /v1/namespaces, …-operations."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import ready, world

ROWS = rows_of("documents")


@ready("documents")
def handler(event: Event, _context: Context) -> Reply:
    """Answer an HTTP request about keyed documents."""
    return answer_http(event, ROWS, world())
