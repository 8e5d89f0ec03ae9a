"""POST /v1/records/{id}/supersede, /fork, /retract, /contest, /resolve; /merge; PATCH."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.routes.revision import REVISIONS
from membrane.wiring.services import services


def handler(event: Event, _context: Context) -> Reply:
    """Answer one HTTP request for a revision of records."""
    return answer_http(event, REVISIONS, services())
