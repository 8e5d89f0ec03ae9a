"""EventBridge in this process: rules send an event to every function with a matching pattern."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.language.timestamps import normalise, rfc3339
from membrane_local.account import ACCOUNT, REGION
from membrane_local.clock import DevClock
from membrane_local.events.patterns import matches
from membrane_local.events.sources import Rule

MAX_ENTRIES = 10
MAX_ENTRIES_BYTES = 1_048_576
"""The entries of a `PutEvents` request together stay below this size (AWS, `PutEvents`)."""
MAX_DETAIL_TYPE = 128
MAX_DEPTH = 1_000
_TIME_BYTES = 14
_FIELDS = {"Source", "DetailType", "Detail", "EventBusName", "Resources", "Time", "TraceHeader"}


@dataclass(frozen=True, slots=True)
class Bus:
    buses: Mapping[str, str]
    rules: Sequence[Rule]
    clock: DevClock
    deliver: Callable[[Rule, JsonObject], None]

    def put_events(self, entries: Any) -> JsonObject:
        """The reply of `PutEvents`; raises InvalidArgument for a malformed request.

        Entries with an AWS service as source are accepted, since only the caller can send such
        events here. An unknown bus raises NotFound, where AWS drops the event.
        """
        if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_ENTRIES:
            raise InvalidArgument(f"Entries must be a list of 1 to {MAX_ENTRIES} entries")
        for entry in entries:
            _require_form(entry)
        if sum(map(_size, entries)) >= MAX_ENTRIES_BYTES:
            raise InvalidArgument(f"the entries together have {MAX_ENTRIES_BYTES} bytes or more")
        buses = [self._bus_id(entry.get("EventBusName")) for entry in entries]
        results = [self._put_entry(*each) for each in zip(entries, buses, strict=True)]
        failed = sum("ErrorCode" in result for result in results)
        return {"Entries": results, "FailedEntryCount": failed}

    def publish(self, event: Mapping[str, Any], bus: str | None = None) -> JsonObject:
        """Send an event with `source`, `detail-type` and `detail` to a bus, by logical id.

        None is the default bus. Missing fields of the envelope are filled in. Returns the event
        with the envelope.
        """
        whole: JsonObject = {
            "version": "0",
            "id": str(uuid4()),
            "account": ACCOUNT,
            "time": rfc3339(self.clock.now().replace(microsecond=0)),
            "region": REGION,
            "resources": [],
            **event,
        }
        for rule in self.rules:
            if rule.bus == bus and matches(rule.pattern, whole):
                self.deliver(rule, whole)
        return whole

    def _put_entry(self, entry: Mapping[str, Any], bus: str | None) -> JsonObject:
        for name in ("Source", "DetailType", "Detail"):
            if not entry.get(name):
                return _failure("InvalidArgument", f"{name} is a required argument")
        if len(entry["DetailType"]) > MAX_DETAIL_TYPE:
            return _failure("InvalidArgument", f"DetailType takes {MAX_DETAIL_TYPE} characters")
        try:
            detail = parse_json(entry["Detail"], MAX_DEPTH)
            time = {"time": normalise(entry["Time"])} if "Time" in entry else {}
        except (ValueError, InvalidArgument):
            return _failure("MalformedDetail", "Detail is malformed, or Time is")
        if not isinstance(detail, dict):
            return _failure("MalformedDetail", "Detail must be a JSON object")
        event = {
            "source": entry["Source"],
            "detail-type": entry["DetailType"],
            "detail": detail,
            "resources": entry.get("Resources", []),
            **time,
        }
        return {"EventId": self.publish(event, bus)["id"]}

    def _bus_id(self, name: str | None) -> str | None:
        if name in (None, "default"):
            return None
        if name not in self.buses:
            known = ", ".join(["default", *self.buses])
            raise NotFound(f"there is no bus {name}; there are: {known}")
        return self.buses[name]


def _failure(code: str, message: str) -> JsonObject:
    return {"ErrorCode": code, "ErrorMessage": message}


def _require_form(entry: Any) -> None:
    if not isinstance(entry, dict) or not entry.keys() <= _FIELDS:
        raise InvalidArgument(f"an entry is an object of: {', '.join(sorted(_FIELDS))}")
    resources = entry.get("Resources", [])
    if not isinstance(resources, list):
        raise InvalidArgument("Resources must be a list")
    texts = [*resources, *(entry[name] for name in entry if name != "Resources")]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidArgument("every field of an entry is text, Detail too, but for Resources")


def _size(entry: Mapping[str, Any]) -> int:
    """The size of an entry in bytes (EventBridge, "Calculating PutEvents event entry size")."""
    texts = [entry.get("Source", ""), entry.get("DetailType", ""), entry.get("Detail", "")]
    texts += entry.get("Resources", [])
    return _TIME_BYTES * ("Time" in entry) + sum(len(text.encode()) for text in texts)
