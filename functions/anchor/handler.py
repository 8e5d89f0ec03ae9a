"""Scheduled: signs the state of the whole table as an anchor."""

from membrane.adapters.aws_lambda.events.jobs import anchor
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.start import ready, world


@ready("any", "integrity.anchor_table")
def handler(event: Event, context: Context) -> Reply:
    """Make an anchor, or continue the anchor under way."""
    return anchor(event, context, world())
