"""The table's stream, what was set aside, re-indexes: keeps the index, ends threads, and more."""

from membrane.adapters.aws_lambda.events.stream import index
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.adapters.dynamodb.stream_images import changes_in
from membrane.domain.language.json_text import JsonObject
from membrane.wiring.start import ready, world


@ready("topics")
def handler(event: Event, context: Context) -> JsonObject:
    """Answer the invocation."""
    return index(event, context, world(), changes_in)
