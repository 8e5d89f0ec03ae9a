"""Exports under restores/ in the bucket: every line is restored as it was."""

from membrane.adapters.aws_lambda.events.restores import restore_object
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.start import ready, world


@ready("archive")
def handler(event: Event, context: Context) -> Reply:
    """Restore one object, or continue a restore."""
    return restore_object(event, context, world())
