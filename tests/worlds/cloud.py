"""Every function of the template over one table, each call of the table and the bucket noted."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from membrane.domain.language.vocabulary import MemoryType, Permission, Sensitivity
from membrane.domain.salience.profiles import MAX_CLASSES
from membrane.domain.search.entries import Entry
from membrane.table.keys import RECORD, classes_key
from membrane_local.functions import Functions
from membrane_local.storage.stores import BUCKET, TABLE, Store
from tests.worlds.template import SOMEWHERE, functions, served_by

INDEX_QUEUE = "MEMBRANE_INDEX_QUEUE"


TOPIC_QUEUE = "MEMBRANE_TOPIC_QUEUE"


AN_ENTRY = Entry(
    "record", "scope", MemoryType.EPISODIC, Sensitivity.LOW, b"", b"", 0.0, "thread", "order"
)


LARGE = "".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(1_500))
"""Text of over 32 KB when compressed, so that the document that holds it lies in the bucket."""


BODIES: dict[str, dict[str, Any]] = {
    "event": {"event_kind": "build", "ref": "1", "summary": LARGE},
    "tool-output": {"tool_name": "bash", "result": LARGE},
    "observation": {"subject": "user", "predicate": "likes", "object": LARGE},
    "working-state": {"thread_id": "1", "state": "planning", "context_summary": LARGE},
}


SCRIPTED = {
    "TopicSummaryHistory": "2",
    "ChatModel": "scripted",
    "ChatDailyTokens": "1000000000",
    "ChatDailyTokensOfKey": "1000000000",
    "Interpreter": "scripted",
}
"""Parameters of a stack that needs no model, and whose topics reach their limits soon."""

SINGLE_ACTIONS = {
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
    "ListObjectsV2": "ListBucket",
    "ListObjectVersions": "ListBucketVersions",
    "HeadObject": "GetObject",
}
"""What IAM calls the parts of a transaction, a listing, and a look at an object."""


CONTESTED = "is said to be"
"""The predicate of facts that contest each other."""

REPLACED = "weighs"
"""The predicate of facts each of which replaces the one before."""


@dataclass(slots=True)
class Cloud:
    """The template's functions offline, and the actions that each has called on which places.

    Places are partitions and objects. IAM compares the places of one action in one request with a
    statement together, so they stay together here.
    """

    store: Store
    functions: Functions
    earlier: Functions
    """The same, when no predicate had a policy."""
    calls: dict[str, set[tuple[str, frozenset[str]]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    made: set[tuple[str, str]] = field(default_factory=set)
    """Service and operation of every call."""
    sent: list[tuple[str, str, int]] = field(default_factory=list)
    """Messages to queues."""
    started: list[tuple[str, Any]] = field(default_factory=list)
    """Functions that were started without waiting, with their events."""
    running: str = ""

    def invoke(self, function: str, event: Any) -> Any:
        self.running = function
        try:
            return self.functions.invoke(function, event)
        finally:
            self.running = ""

    def http(
        self,
        route: str,
        body: Any = None,
        record_id: str = "",
        *,
        name: str = "",
        query: str = "",
        scopes: Sequence[str] = ("*",),
    ) -> Any:
        """The body of the reply to somebody who may do everything in the scopes."""
        key = key_of(body) if route.startswith("POST") else ""
        reply = self.ask(route, body, record_id, name=name, query=query, scopes=scopes, key=key)
        assert reply["statusCode"] < 300, reply
        return json.loads(reply.get("body", "null"))

    def ask(
        self,
        route: str,
        body: Any = None,
        record_id: str = "",
        *,
        name: str = "",
        query: str = "",
        scopes: Sequence[str] = ("*",),
        key: str = "",
    ) -> Any:
        """The reply, also a refusal, under an idempotency key or none."""
        everything = {
            "actor_id": "agent",
            "permissions": [str(permission) for permission in Permission],
            "scopes": [*scopes],
            "max_sensitivity": "hyper",
        }
        event = {
            "routeKey": route,
            "headers": {"idempotency-key": key} if key else {},
            "pathParameters": {
                **dict.fromkeys(("id", "thread_id", "path"), record_id),
                "name": name,
            },
            "rawQueryString": query,
            "body": None if body is None else json.dumps(body),
            "requestContext": {"http": {}, "authorizer": {"lambda": everything}},
        }
        return self.invoke(_function_of(route), event)

    def report(self, kind: str) -> str:
        """The id of a record, the same one however often it is reported."""
        body = {"source": "agent", **BODIES[kind]}
        return str(self.http(f"POST /v1/ingest/{kind}", body)["record"]["id"])

    def upload(self, value: Any) -> dict[str, str]:
        """A claim of that value, uploaded."""
        content = json.dumps(value).encode()
        declared = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        opened = self.http("POST /v1/uploads", declared)
        name = urlsplit(opened["url"]).path.partition(f"/{BUCKET}/")[2]
        self.store.blobs.write(name, content)
        return {"$upload": opened["upload_id"]}

    def crowd(self) -> None:
        """Fill the lists of decay classes with classes that no record has."""
        classes: Any = {
            str(each): {"SS": [f"linear:{number}:0:0" for number in range(MAX_CLASSES)]}
            for each in MemoryType
        }
        for scope in ("", "events"):
            key = classes_key(scope)
            self.store.dynamodb.put_item(TableName=TABLE, Item={**key, **classes})

    def items(self) -> list[Mapping[str, Any]]:
        """The own items of all records."""
        found = self.store.dynamodb.scan(TableName=TABLE)["Items"]
        return [item for item in found if item["sk"] == {"S": RECORD}]

    def note(self, params: Mapping[str, Any], model: Any, **_: Any) -> None:
        """Remember a call that a function makes."""
        if not self.running:
            return
        service = model.service_model.service_name
        self.made.add((service, model.name))
        parts = [(model.name, params)]
        if model.name == "TransactWriteItems":
            parts = [
                (action, request)
                for item in params["TransactItems"]
                for action, request in item.items()
            ]
        together = defaultdict(set)
        for action, request in parts:
            places = [_place_in_bucket(request)] if service == "s3" else _partitions(request)
            together[f"{service}:{_action(action, request)}"].update(places)
        self.calls[self.running] |= {
            (action, frozenset(places)) for action, places in together.items()
        }

    def places(self, function: str, action: str) -> set[str]:
        """All places on which a function has called an action."""
        return {
            place for called, places in self.calls[function] if called == action for place in places
        }


@cache
def _function_of(route: str) -> str:
    """The name of the function that serves a route."""
    return next(name for name in functions() if route in {each.route for each in served_by(name)})


def _action(action: str, request: Mapping[str, Any]) -> str:
    """What IAM calls the part of a request."""
    if action == "DeleteObject" and "VersionId" in request:
        return "DeleteObjectVersion"
    return SINGLE_ACTIONS.get(action, action)


def _partitions(request: Mapping[str, Any]) -> list[str]:
    for asked in request.get("RequestItems", {}).values():
        return [str(key["pk"]["S"]) for key in asked["Keys"]]
    if not request.keys() & {"Key", "Item", "KeyConditionExpression"}:
        return [SOMEWHERE]  # a search, or a scan
    if request.get("IndexName") == "natural":
        return ["${Table.Arn}/index/natural"]
    return [_partition(request)]


def _partition(request: Mapping[str, Any]) -> str:
    key = request.get("Key") or request.get("Item")
    if key:
        return str(key["pk"]["S"])
    _, _, compared, *_ = request["KeyConditionExpression"].split()
    return str(request["ExpressionAttributeValues"][compared]["S"])


def _place_in_bucket(request: Mapping[str, Any]) -> str:
    return str(request.get("Key") or request["Prefix"])


def key_of(body: Any) -> str:
    """The same for the same request."""
    return hashlib.sha256(json.dumps(body).encode()).hexdigest()
