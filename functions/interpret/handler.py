"""Captures in the queue of the model: each is interpreted once."""

from membrane.adapters.aws_lambda.events.queues import interpret
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.json_text import JsonObject
from membrane.wiring.start import ready, world


@ready("interpreting", "capture.interpret_capture")
def handler(event: Event, _context: Context) -> JsonObject:
    """Answer the invocation."""
    return interpret(event, world())
