"""Started by the state machine of studies: takes a job a step on."""

from membrane.adapters.aws_lambda.events.studies import study
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.start import ready, world


@ready("study")
def handler(event: Event, context: Context) -> Reply:
    """Take a job a step on, or mark the job as failed."""
    return study(event, context, world())
