"""Scheduled: prunes faded records, and removes tombstones past the time to restore."""

from membrane.adapters.aws_lambda.events.jobs import sweep
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.invocations import note_request
from membrane.wiring.start import world


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Sweep once, or continue a sweep."""
    return sweep(event, context, world())
