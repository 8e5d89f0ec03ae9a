"""POST /v1/retrieve; GET /v1/records, /v1/threads/{thread_id}/state, /v1/receipts/{id}."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.routes.search import RETRIEVALS
from membrane.wiring.search import reading_services


def handler(event: Event, _context: Context) -> Reply:
    """Answer one retrieval."""
    return answer_http(event, RETRIEVALS, reading_services())
