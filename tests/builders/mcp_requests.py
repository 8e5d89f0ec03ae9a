"""Requests of MCP as events of the gateway, and the replies to them."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from membrane.adapters.aws_lambda.mcp.endpoint import answer_mcp
from membrane.adapters.aws_lambda.mcp.features import Features
from membrane.adapters.aws_lambda.mcp.metadata import CURRENT, HANDSHAKE_VERSIONS
from membrane.domain.language.json_text import JsonObject
from tests.fakes.mcp import CALLER, fake_features

META = {
    "io.modelcontextprotocol/protocolVersion": CURRENT,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
OLD = {"mcp-protocol-version": HANDSHAKE_VERSIONS[0]}


@dataclass
class Reply:
    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def result(self) -> Any:
        assert self.json.keys() == {"jsonrpc", "id", "result"}, self.body
        return self.json["result"]

    @property
    def error(self) -> Any:
        assert self.json.keys() - {"id"} == {"jsonrpc", "error"}, self.body
        return self.json["error"]

    @property
    def refusal(self) -> tuple[int, int]:
        """The HTTP status and the code of the error."""
        return self.status, self.error["code"]

    @property
    def events(self) -> list[Any]:
        """The messages of an event stream."""
        return [json.loads(each.split("data: ")[1]) for each in self.body.split("\n\n") if each]


def send(
    body: str | None,
    *,
    headers: Mapping[str, str] | None = None,
    verb: str = "POST",
    features: Features[str] | None = None,
    origins: Collection[str] = (),
    **event: Any,
) -> Reply:
    """The reply to an HTTP request with a body, whatever the body holds."""
    sent = {
        "headers": dict(headers or {}),
        "requestContext": {"http": {"method": verb}},
        "body": body,
        "isBase64Encoded": False,
        **event,
    }
    reply = answer_mcp(sent, features or fake_features(), CALLER, origins)
    return Reply(reply["statusCode"], reply["headers"], reply.get("body", ""))


def ask(
    method: str,
    params: JsonObject | None = None,
    *,
    meta: JsonObject | None = None,
    headers: Mapping[str, str | None] | None = None,
    **options: Any,
) -> Reply:
    """The reply to a well-formed request of the current version; a header of None is left out."""
    params = params or {}
    body = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": method,
        "params": {**params, "_meta": meta or META},
    }
    name = params.get(NAMED_BY.get(method, ""))
    own = {"mcp-protocol-version": CURRENT, "mcp-method": method, "mcp-name": name}
    sent = {key: value for key, value in {**own, **(headers or {})}.items() if value is not None}
    return send(json.dumps(body), headers=sent, **options)


def ask_as_before(
    method: str,
    params: JsonObject | None = None,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> Reply:
    """The reply to a request of a client that has initialized."""
    body = {"jsonrpc": "2.0", "id": "a", "method": method, "params": params or {}}
    return send(json.dumps(body), headers=OLD if headers is None else headers, **options)
