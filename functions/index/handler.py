"""The table's stream, what was set aside of it, and `membrane reindex`: keeps the search index."""

from membrane.adapters.aws_lambda.entry import Context, Event
from membrane.adapters.aws_lambda.stream import index
from membrane.adapters.dynamodb.stream_images import told_in
from membrane.domain.json_text import JsonObject
from membrane.topic_wiring import topic_services


def handler(event: Event, context: Context) -> JsonObject:
    """Answer the invocation."""
    return index(event, context, topic_services(), told_in)
