"""The whole service in this process: requests through the local gateway, no socket in between."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from membrane.adapters.aws_lambda import telemetry
from membrane.table.keys import API_KEYS
from membrane.wiring.world import World
from membrane_local.dev import local_stack
from membrane_local.dev_options import DevOptions
from membrane_local.functions import Functions, OnUse
from membrane_local.http.dev_routes import PREFIX
from membrane_local.http.server import Application
from membrane_local.http_messages import Request, Response
from membrane_local.storage.stores import TABLE
from tests.worlds.quick_folders import quick_folder
from tests.worlds.tuning import tuned

EVERYTHING = ("ingest", "read", "revise", "admin")


@dataclass(frozen=True, slots=True)
class Reply:
    """A response with its JSON body parsed."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def problem(self) -> dict[str, Any]:
        """A refusal without the id of the request, in which no two refusals are the same."""
        assert self.body["request_id"] == self.headers["apigw-requestid"]
        return {name: value for name, value in self.body.items() if name != "request_id"}

    @property
    def record(self) -> dict[str, Any]:
        """The record of a successful reply."""
        assert self.status < 300, self.body
        return dict(self.body["record"])


@dataclass(frozen=True, slots=True)
class Api:
    """A client of the application; `secret` opens everything."""

    application: Application
    secret: str

    @property
    def functions(self) -> Functions:
        return self.application.gateway.functions

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request with a JSON body; `path` may carry a query."""
        content = b"" if body is None else json.dumps(body).encode()
        return self.send(method, path, content, key=key, headers=headers)

    def send(
        self,
        method: str,
        path: str,
        content: bytes,
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request with any body; the empty key sends none."""
        raw_path, _, query = path.partition("?")
        sent = {"host": "127.0.0.1", **(headers or {})}
        if key != "":
            sent["authorization"] = f"Bearer {key or self.secret}"
        request = Request(method, raw_path, query, sent, content)
        return _parsed(self.application.answer(request))

    def post(self, path: str, body: Any, **options: Any) -> Reply:
        return self.call("POST", path, body, **options)

    def get(self, path: str, **options: Any) -> Reply:
        return self.call("GET", path, **options)

    def key_for(
        self,
        *,
        actor_id: str = "agent",
        permissions: tuple[str, ...] = EVERYTHING,
        scopes: tuple[str, ...] = ("*",),
        max_sensitivity: str = "hyper",
        **users: Any,
    ) -> str:
        """A new key of a principal, with the `user_prefix` and `user_required` of `users`."""
        asked = {
            "actor_id": actor_id,
            "permissions": list(permissions),
            "scopes": list(scopes),
            "max_sensitivity": max_sensitivity,
            **users,
        }
        reply = self.post(f"{PREFIX}keys", asked)
        assert reply.status == 201, reply.body
        return str(reply.body["secret"])

    def serve(self, *only: str, **parts: Any) -> None:
        """Let functions, or these only, work with something else until the next reset."""
        functions, before = self.functions, self.functions.worlds

        def world_of(name: str) -> World:
            return before[name] if only and name not in only else before[name].but(**parts)

        functions.worlds = OnUse(world_of)

    def log_as_in_aws(self) -> None:
        """Let functions write the lines and metrics that they write in AWS."""
        now = self.functions.clock.now
        self.serve(report=telemetry.reporter(now), measure=telemetry.meter(now))

    def forget_keys(self) -> None:
        """Remove every key but the client's own, which a reset of the stack leaves as they are."""
        dynamodb, own = self.functions.store.dynamodb, sha256(self.secret.encode()).hexdigest()
        pages = dynamodb.get_paginator("query").paginate(
            TableName=TABLE,
            KeyConditionExpression="pk = :keys",
            ExpressionAttributeValues={":keys": {"S": API_KEYS}},
        )
        for key in [
            {"pk": each["pk"], "sk": each["sk"]} for page in pages for each in page["Items"]
        ]:
            if key["sk"] != {"S": own}:
                dynamodb.delete_item(TableName=TABLE, Key=key)

    def invoke(self, logical_id: str, event: Any) -> Any:
        """The function's reply to an event; raises FunctionError."""
        return self.functions.invoke(logical_id, event)

    def stored(self) -> dict[str, Any]:
        """Every item of the table but the API keys, by its keys, once the index has caught up."""
        assert self.get(f"{PREFIX}queues?wait").status == 200
        pages = self.functions.store.dynamodb.get_paginator("scan").paginate(TableName=TABLE)
        return {
            f"{item['pk']['S']} {item['sk']['S']}": item
            for page in pages
            for item in page["Items"]
            if item["pk"] != {"S": API_KEYS}
        }


def repeated(call: Callable[[], Reply], most: int = 16) -> Reply:
    """The reply of a call that is made again where it lost every race, as callers do.

    How many writers at once find their turn within the tries of one call depends on the speed of
    the machine; that each of them is kept once does not.
    """
    reply = call()
    for _ in range(most):
        if reply.status != 409 or reply.body["code"] != "ABORTED":
            break
        reply = call()
    return reply


def _parsed(response: Response) -> Reply:
    body = json.loads(response.body) if response.body else None
    return Reply(response.status, response.headers, body)


@contextmanager
def api_over(options: DevOptions) -> Iterator[Api]:
    """A client of a new local stack, which requires keys."""
    with local_stack(options) as (application, secret):
        assert secret is not None
        yield Api(application, secret)


@contextmanager
def api_with(parameters: Mapping[str, str]) -> Iterator[Api]:
    """A client of a new local stack with these parameters, in a folder of its own."""
    with quick_folder() as folder:
        store = str(folder / "memory.db")
        with api_over(DevOptions(store=store, parameters=tuned(parameters))) as found:
            yield found
