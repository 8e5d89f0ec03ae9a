"""POST /v1/erasures, GET /v1/erasures/{id}, GET /v1/erasures/{id}/certificate."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.routes.erasures import ERASURES
from membrane.wiring.erasure import erasure_services
from membrane.wiring.invocations import note_request


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer an HTTP request about erasures."""
    return answer_http(event, ERASURES, erasure_services())
