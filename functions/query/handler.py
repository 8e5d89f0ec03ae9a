"""POST /v1/query: topics with fields and neighbours, the likeliest first."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.routes.topic_queries import QUERIES
from membrane.wiring.invocations import note_request
from membrane.wiring.topics import topic_services


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer a question about topics."""
    return answer_http(event, QUERIES, topic_services())
