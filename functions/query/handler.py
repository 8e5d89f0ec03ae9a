"""POST /v1/query: topics with their fields and neighbours, the likeliest first."""

from membrane.adapters.aws_lambda.entry import Context, Event, Reply
from membrane.adapters.aws_lambda.http import answer_http
from membrane.adapters.aws_lambda.query_routes import QUERIES
from membrane.topic_wiring import topic_services


def handler(event: Event, _context: Context) -> Reply:
    """Answer one question about topics."""
    return answer_http(event, QUERIES, topic_services())
