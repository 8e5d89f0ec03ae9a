"""Scheduled: removes blobs that nothing names, and stores the settings' decay classes."""

from membrane.adapters.aws_lambda.events.jobs import collect
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.start import ready, world


@ready("blobs", "collect_blobs")
def handler(_event: Event, _context: Context) -> Reply:
    """Run the job once."""
    return collect(world())
