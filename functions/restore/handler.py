"""Exports under restores/ in the bucket: every line is restored as it was."""

from membrane.adapters.aws_lambda.events.restores import restore_object
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.archive import archive_services
from membrane.wiring.invocations import note_request


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Restore one object, or continue a restore."""
    return restore_object(event, context, archive_services())
