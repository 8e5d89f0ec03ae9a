"""Captures in the queue of the model: each is interpreted once."""

from membrane.adapters.aws_lambda.events.interpreting import interpret
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.capture.interpreting_steps import interpreting_steps
from membrane.wiring.interpreter import interpreting_services
from membrane.wiring.invocations import note_request


@note_request
def handler(event: Event, _context: Context) -> JsonObject:
    """Answer the invocation."""
    services = interpreting_services()
    return interpret(event, interpreting_steps(services), services)
