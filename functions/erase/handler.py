"""Background work: carries out erasures."""

from membrane.adapters.aws_lambda.events.jobs import erase
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.json_text import JsonObject
from membrane.wiring.start import ready, world


@ready("erasure", "erasure.run_erasure")
def handler(event: Event, context: Context) -> JsonObject:
    """Answer the invocation."""
    return erase(event, context, world())
