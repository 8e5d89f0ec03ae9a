"""Requests through the HTTP edge to every route, over a memory of fakes."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.rows import ROWS
from membrane.domain.language.json_text import JsonObject
from tests.worlds.api import EVERYTHING
from tests.worlds.retrieval import Memory

OWNER = {
    "actor_id": "owner",
    "permissions": list(EVERYTHING),
    "scopes": ["*"],
    "max_sensitivity": "hyper",
}


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply with its JSON body parsed."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Edge:
    """The owner's client."""

    memory: Memory = field(default_factory=Memory)

    def ask(
        self,
        route: str,
        body: JsonObject | None = None,
        *,
        path: dict[str, str] | None = None,
        query: dict[str, Any] | None = None,
    ) -> Answered:
        """The reply to a request on a route of the table, such as `GET /v1/records/{id}`."""
        event = {
            "version": "2.0",
            "routeKey": route,
            "rawQueryString": urlencode(query or {}),
            "headers": {},
            "pathParameters": path or {},
            "requestContext": {"http": {}, "authorizer": {"lambda": OWNER}},
            "body": None if body is None else json.dumps(body),
            "isBase64Encoded": False,
        }
        reply = answer_http(event, ROWS, self.memory.services)
        content = reply.get("body")
        return Answered(reply["statusCode"], json.loads(content) if content else None)

    def pages(
        self,
        route: str,
        body: JsonObject | None = None,
        *,
        path: dict[str, str] | None = None,
    ) -> list[JsonObject]:
        """Every page: the cursor of a page goes where the page's limit would go."""
        pages: list[JsonObject] = []
        onwards: dict[str, str] = {}
        while True:
            sent = None if body is None else {**body, **onwards}
            reply = self.ask(route, sent, path=path, query=onwards if body is None else None)
            assert reply.status == 200, reply.body
            pages.append(reply.body)
            if "next_cursor" not in reply.body:
                return pages
            onwards = {"cursor": reply.body["next_cursor"]}
