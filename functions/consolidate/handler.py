"""Scheduled, and when a thread ends: makes traces of threads, skills and plans of traces."""

from membrane.adapters.aws_lambda.events.consolidations import consolidate
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.json_text import JsonObject
from membrane.wiring.services import services


def handler(event: Event, context: Context) -> JsonObject:
    """Consolidate one thread or every quiet thread, or continue a run."""
    return consolidate(event, context, services())
