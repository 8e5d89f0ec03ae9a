"""Scheduled: prunes faded records, and removes tombstones past the time to restore."""

from membrane.adapters.aws_lambda.events.jobs import sweep
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.start import ready, world


@ready("any", "lifecycle.sweep_due")
def handler(event: Event, context: Context) -> Reply:
    """Sweep once, or continue a sweep."""
    return sweep(event, context, world())
