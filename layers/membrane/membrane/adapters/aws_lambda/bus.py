"""EventBridge events: our own requests, and what happens elsewhere as episodes (design 5)."""

from collections.abc import Mapping
from typing import Any

from membrane.domain.errors import InvalidArgument
from membrane.domain.fields import MAX_TEXT_CHARACTERS
from membrane.domain.json_text import JsonObject, compact_json, reparsed
from membrane.domain.requests import IngestEvent

ANY_EVENT = IngestEvent.__name__
"""The RPC that takes events of every detail type."""


def is_bus_event(event: Mapping[str, Any]) -> bool:
    """Whether EventBridge sent it."""
    return "detail-type" in event and "detail" in event


def request_in(event: Mapping[str, Any], rpc: str) -> Any:
    """The request in an event.

    A detail type that is the RPC's name carries its request. Any other one that a rule sends to
    IngestEvent is reported as an event; raises InvalidArgument for one sent elsewhere.
    """
    checked = reparsed(event)
    if checked["detail-type"] == rpc:
        return checked["detail"]
    if rpc != ANY_EVENT:
        raise InvalidArgument(f"{rpc} does not take events of another detail type")
    return _reported(checked)


def _reported(event: Mapping[str, Any]) -> JsonObject:
    """The detail is kept as JSON text, cut at the limit of a string field."""
    return {
        "source": event["source"],
        "event_kind": event["detail-type"],
        "ref": event["id"],
        "timestamp": event["time"],
        "summary": compact_json(event["detail"])[:MAX_TEXT_CHARACTERS],
    }
