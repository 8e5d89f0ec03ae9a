"""POST /v1/retrieve; GET /v1/records, /v1/threads/{thread_id}/state, /v1/receipts/{id}."""

from membrane.adapters.aws_lambda.entry import Context, Event, Reply
from membrane.adapters.aws_lambda.http import answer_http
from membrane.adapters.aws_lambda.retrieval_routes import RETRIEVALS
from membrane.reading_wiring import reading_services


def handler(event: Event, _context: Context) -> Reply:
    """Answer one question about what is remembered."""
    return answer_http(event, RETRIEVALS, reading_services())
