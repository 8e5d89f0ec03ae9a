"""POST /v1/decay/preview: the effect of a decay policy, without a change."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("preview_decay")


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer one preview."""
    return answer_http(event, ROWS, world())
