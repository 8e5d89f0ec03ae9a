"""Scheduled: removes blobs that no record and no topic names, and keeps what the settings are."""

from membrane.adapters.aws_lambda.entry import Context, Event, Reply
from membrane.adapters.aws_lambda.jobs import collect
from membrane.topic_store_wiring import topic_store
from membrane.wiring import services


def handler(_event: Event, _context: Context) -> Reply:
    """Run the job once."""
    return collect(services(), topic_store())
