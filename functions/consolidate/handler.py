"""POST /v1/consolidate; scheduled, and when a thread ends: makes traces, skills and plans."""

from membrane.adapters.aws_lambda.events.jobs import answer_or_consolidate
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, note_request
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import world

ROWS = rows_of("consolidate")


@note_request
def handler(event: Event, context: Context) -> Reply:
    """Consolidate a scope, one thread or every quiet thread, or continue a run."""
    return answer_or_consolidate(event, context, ROWS, world())
