"""Started by the state machine of studies: takes a job a step on."""

from membrane.adapters.aws_lambda.events.studies import study
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.wiring.invocations import note_request
from membrane.wiring.study import study_services


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Take a job a step on, or mark the job as failed."""
    return study(event, context, study_services())
