"""POST /v1/consolidate; scheduled, and when a thread ends: makes traces, skills and plans."""

from membrane.adapters.aws_lambda.events.consolidations import answer
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.routes.learning import CONSOLIDATIONS
from membrane.wiring.invocations import note_request
from membrane.wiring.services import services


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Consolidate a scope, one thread or every quiet thread, or continue a run."""
    return answer(event, context, CONSOLIDATIONS, services())
