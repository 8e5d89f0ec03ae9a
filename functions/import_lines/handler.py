"""Objects under imports/ in the bucket: every line is ingested as a request."""

from membrane.adapters.aws_lambda.events.imports import import_object
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.wiring.start import world


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Import one object, or continue an import."""
    return import_object(event, context, world())
