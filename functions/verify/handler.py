"""Invoked by `membrane verify`: compares the table with the anchors."""

from membrane.adapters.aws_lambda.events.jobs import verify
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.start import ready, world


@ready("verification", "integrity.verify_table")
def handler(event: Event, context: Context) -> Reply:
    """Run one step of a verification."""
    return verify(event, context, world())
