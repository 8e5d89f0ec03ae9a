"""GET /health: a sign of life, without a key."""

from membrane.adapters.aws_lambda.health import alive
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply


def handler(_event: Event, _context: Context) -> Reply:
    """Answer a health check."""
    return alive()
