"""Background work on topics: merges duplicates, forgets in steps, records reads."""

from membrane.adapters.aws_lambda.events.queues import reason
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.json_text import JsonObject
from membrane.wiring.start import ready, world


@ready("topics", "topics.reasoning.reason_in_background")
def handler(event: Event, context: Context) -> JsonObject:
    """Answer the invocation."""
    return reason(event, context, world())
