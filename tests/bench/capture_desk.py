"""A local stack in this process, where a set's captures are taken and its questions answered."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tests.bench.capture_scores import FIRST, JsonObject
from tests.bench.capture_sets import Capture, CaptureSet, LinkedQuestion
from tests.worlds.api import Api

SENSITIVITY = "low"


class Refused(Exception):
    """The stack refused a request of the bench."""


class Desk(Protocol):
    """Takes entities and captures, and answers questions."""

    def add_entity(self, entity: JsonObject) -> str:
        """The id of the new entity record."""
        ...

    def capture(self, capture: Capture, ids: Mapping[str, str]) -> JsonObject:
        """The reply of POST /v1/capture; `ids` are those of earlier primary records, by key."""
        ...

    def wait(self) -> None:
        """Until the index has caught up."""
        ...

    def graph_answer(self, question: LinkedQuestion, fields: JsonObject) -> Sequence[str]:
        """The ids of the nodes in their order."""
        ...

    def plain_answer(self, question: LinkedQuestion) -> Sequence[str]:
        """The ids of the records in their order."""
        ...


class LocalDesk:
    """Speaks to the stack through its routes; every method raises Refused."""

    def __init__(self, api: Api, asked: CaptureSet) -> None:
        """Set the clock to the day after the captures, so that memories are not faded away."""
        self._api = api
        self._scope = asked.scope
        self._post("/_dev/clock", {"set": asked.known_by.isoformat()})

    def add_entity(self, entity: JsonObject) -> str:
        """See Desk."""
        payload = {name: value for name, value in entity.items() if name != "key"}
        record = {
            "type": "entity",
            "scope": self._scope,
            "sensitivity": SENSITIVITY,
            "payload": {"kind": "entity", **payload},
        }
        return str(self._post("/v1/records", {"record": record})["record"]["id"])

    def capture(self, capture: Capture, ids: Mapping[str, str]) -> JsonObject:
        """See Desk."""
        placed = {"scope": self._scope, "sensitivity": SENSITIVITY, **capture.request}
        return self._post("/v1/capture", with_ids(placed, ids))

    def wait(self) -> None:
        """See Desk."""
        reply = self._api.get("/_dev/queues?wait")
        if reply.status >= 300:
            raise Refused(f"/_dev/queues: {reply.status} {reply.body}")

    def graph_answer(self, question: LinkedQuestion, fields: JsonObject) -> Sequence[str]:
        """See Desk."""
        reply = self._post("/v1/retrieve/graph", {**self._request(question), **fields})
        return [node["record"]["id"] for node in reply["nodes"]]

    def plain_answer(self, question: LinkedQuestion) -> Sequence[str]:
        """See Desk."""
        reply = self._post("/v1/retrieve", {**self._request(question), "limit": FIRST})
        return [record["id"] for record in reply["records"]]

    def _request(self, question: LinkedQuestion) -> JsonObject:
        trust = {"scopes": [self._scope], "max_sensitivity": SENSITIVITY}
        return {"task_descriptor": question.text, "trust": trust}

    def _post(self, path: str, body: JsonObject) -> JsonObject:
        reply = self._api.post(path, body)
        if reply.status >= 300:
            raise Refused(f"{path}: {reply.status} {reply.body}, to {body}")
        return dict(reply.body)


def with_ids(value: Any, ids: Mapping[str, str]) -> Any:
    """The JSON value with `{id:KEY}` in its texts replaced by the id of the key."""
    match value:
        case dict():
            return {name: with_ids(each, ids) for name, each in value.items()}
        case list():
            return [with_ids(each, ids) for each in value]
        case str():
            for key, record_id in ids.items():
                value = value.replace(f"{{id:{key}}}", record_id)
            return value
        case _:
            return value
