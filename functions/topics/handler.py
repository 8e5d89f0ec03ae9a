"""POST /v1/ingest; /v1/topics with their fields and relationships; /v1/graph; /v1/reason."""

from membrane.adapters.aws_lambda.entry import Context, Event, Reply
from membrane.adapters.aws_lambda.http import answer_http
from membrane.adapters.aws_lambda.topic_routes import TOPICS
from membrane.topic_wiring import topic_services


def handler(event: Event, _context: Context) -> Reply:
    """Answer one HTTP request about topics."""
    return answer_http(event, TOPICS, topic_services())
