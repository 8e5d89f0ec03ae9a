"""EventBridge events: requests of the API, or foreign events recorded as episodes."""

from collections.abc import Mapping
from typing import Any

from membrane.domain.ingest.reports import IngestEvent
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import compact_json, reparse

ANY_EVENT = IngestEvent.__name__
"""The RPC that takes events of every detail type."""


def is_bus_event(event: Mapping[str, Any]) -> bool:
    return "detail-type" in event and "detail" in event


def request_in(event: Mapping[str, Any], rpc: str) -> Any:
    """The request in an event.

    A detail type equal to the RPC's name carries a request of the RPC. IngestEvent also takes any
    other detail type: the event is reported with the detail as JSON text, cut at the limit of a
    text. Raises InvalidArgument for a different detail type sent to any other RPC.
    """
    detail = reparse(event["detail"])
    if event["detail-type"] == rpc:
        return detail
    if rpc != ANY_EVENT:
        raise InvalidArgument(f"{rpc} does not take events of another detail type")
    return {
        "source": event.get("source"),
        "event_kind": event["detail-type"],
        "ref": event.get("id"),
        "timestamp": event.get("time"),
        "summary": compact_json(detail)[:MAX_TEXT_CHARACTERS],
    }


def key_of(event: Mapping[str, Any]) -> str:
    """The idempotency key for an event without one; raises InvalidArgument without an id."""
    event_id = event.get("id")
    if not isinstance(event_id, str):
        raise InvalidArgument("an event needs an id")
    return event_id
