"""The table's stream, what was set aside of it, and `membrane reindex`: keeps the search index."""

from membrane.adapters.aws_lambda.entry import Context, Event
from membrane.adapters.aws_lambda.stream import index
from membrane.adapters.dynamodb.stream_images import changed_in
from membrane.domain.json_text import JsonObject
from membrane.reading_wiring import reading_services


def handler(event: Event, context: Context) -> JsonObject:
    """Answer the invocation."""
    return index(event, context, reading_services(), changed_in)
