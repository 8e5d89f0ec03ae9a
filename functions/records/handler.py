"""POST /v1/records; GET, DELETE /v1/records/{id}; GET its /audit, /versions; its changes."""

from membrane.adapters.aws_lambda.entry import Context, Event, Reply
from membrane.adapters.aws_lambda.http import answer_http
from membrane.adapters.aws_lambda.routes import RECORDS
from membrane.wiring import services


def handler(event: Event, _context: Context) -> Reply:
    """Answer one HTTP request about full records."""
    return answer_http(event, RECORDS, services())
