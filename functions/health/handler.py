"""GET /health: a sign of life, without a key."""

from membrane.adapters.aws_lambda.events.entry import Context, Event, Reply
from membrane.adapters.aws_lambda.health import alive


def handler(_event: Event, _context: Context) -> Reply:
    """Answer one health check."""
    return alive()
