"""Scheduled: prunes what has faded, and removes what can no longer be restored."""

from membrane.adapters.aws_lambda.events.sweeps import sweep
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.services import services


def handler(event: Event, context: Context) -> Reply:
    """Sweep once, or go on with it."""
    return sweep(event, context, services())
