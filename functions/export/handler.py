"""Started by a request or by itself: writes the file of an export."""

from membrane.adapters.aws_lambda.events.jobs import export_memory
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.start import ready, world


@ready("archive", "archive.write_export")
def handler(event: Event, context: Context) -> Reply:
    """Write an export, or continue one."""
    return export_memory(event, context, world())
