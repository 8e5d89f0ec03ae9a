"""The HTTP API's authorizer: an API key becomes a principal."""

from membrane.adapters.aws_lambda.authorizer import authorize
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.wiring.start import world


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Look up the key of one request."""
    return authorize(event, world())
