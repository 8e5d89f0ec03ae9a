"""The methods of MCP, the table of their names, and the result of a request by its version."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from membrane.adapters.aws_lambda.mcp import protocol
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json

RESOURCE_NOT_FOUND = -32002
"""An absent resource, for versions with a handshake; the current version has INVALID_PARAMS."""

INPUT_REQUIRED = "input_required"
"""The type of a result with requests that the client must answer first, in `inputRequests` by name.

The client repeats the request with `inputResponses`, and with the `requestState` of the result,
which the client may have changed. Modes of a capability, such as `elicitation.url`, are for the
server to read in `Call.capabilities`.
"""

CAPABILITIES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""The capability that a client needs to answer a request of the method."""

_NAMED_BY = {"ref/prompt": "name", "ref/resource": "uri"}
"""The field of a reference that names the prompt or the template."""

_OFFER: JsonObject = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}


@dataclass(frozen=True, slots=True)
class Call:
    """A request; the function that answers may add steps to report."""

    params: JsonObject
    meta: JsonObject
    version: str
    steps: list[JsonObject] = field(default_factory=list)
    """The params of the notifications of progress, without the client's token."""

    @property
    def is_current(self) -> bool:
        return self.version == protocol.CURRENT

    @property
    def capabilities(self) -> JsonObject:
        """What the client declared; nothing of a handshake is kept."""
        return self.meta[protocol.CLIENT_CAPABILITIES] if self.is_current else {}


class Server(Protocol):
    """What a server offers to the caller of a request, in the form of the specification.

    Every function may raise McpError or DomainError. DomainError becomes an error of JSON-RPC. A
    tool or a prompt may answer with a result of the type INPUT_REQUIRED.
    """

    @property
    def identity(self) -> JsonObject:
        """An `Implementation`: at least name and version."""

    @property
    def instructions(self) -> str:
        """How a language model should use the server."""

    @property
    def lists_ttl_ms(self) -> int:
        """How long a client may keep lists and the description of the server."""

    def tools(self) -> Sequence[JsonObject]:
        """The tools in a fixed order; no schema may have `x-mcp-header`, which nobody compares."""

    def call_tool(self, name: str, arguments: JsonObject, call: Call) -> JsonObject: ...

    def resources(self) -> Sequence[JsonObject]: ...

    def templates(self) -> Sequence[JsonObject]: ...

    def read(self, uri: str) -> JsonObject | None:
        """The contents of a resource; None without a resource of the address."""

    def prompts(self) -> Sequence[JsonObject]: ...

    def prompt(self, name: str, arguments: Mapping[str, str], call: Call) -> JsonObject: ...

    def complete(self, ref: JsonObject, value: str, context: Mapping[str, str]) -> JsonObject:
        """Completions of the `value` of an argument of a prompt, or of a resource template."""


Run = Callable[[Server, Call], JsonObject]


def run_method(method: str, server: Server, call: Call) -> JsonObject:
    """The result in the form of the call's version; raises McpError."""
    run = {**_OF_EVERY, **(_OF_CURRENT if call.is_current else _OF_HANDSHAKE)}.get(method)
    if run is None:
        status = protocol.NOT_FOUND if call.is_current else protocol.OK
        raise protocol.McpError(
            protocol.METHOD_NOT_FOUND, "the server has no such method", status=status
        )
    result = run(server, call)
    if result.get("resultType") == INPUT_REQUIRED:
        _require_answerable(result["inputRequests"], call)
    elif call.is_current:
        result = {"resultType": "complete", **result, **_caching(method, server)}
    else:
        return result
    return {**result, "_meta": {protocol.SERVER_INFO: server.identity}}


def _caching(method: str, server: Server) -> JsonObject:
    """How long a client of the current version may keep the result; nothing for most methods."""
    if method == "resources/read":
        return {"ttlMs": 0, "cacheScope": "private"}
    if method.endswith("/list") or method == "server/discover":
        return {"ttlMs": server.lists_ttl_ms, "cacheScope": "private"}
    return {}


def _require_answerable(requests: Mapping[str, JsonObject], call: Call) -> None:
    """Raises McpError if the client cannot answer the requests."""
    if not call.is_current:
        why = f"the request needs answers of the user, which clients of {protocol.CURRENT} can give"
        raise protocol.McpError(protocol.INVALID_REQUEST, why)
    needed = {CAPABILITIES[each["method"]] for each in requests.values()}
    if missing := needed - set(call.capabilities):
        capabilities: JsonObject = {name: {} for name in sorted(missing)}
        why = "the request needs capabilities that the client has not declared"
        required = {"requiredCapabilities": capabilities}
        raise protocol.McpError(
            protocol.MISSING_CLIENT_CAPABILITY, why, required, status=protocol.BAD_REQUEST
        )


def _call_tool(server: Server, call: Call) -> JsonObject:
    return server.call_tool(protocol.text_of(call.params, "name"), _arguments_in(call.params), call)


def _arguments_in(params: JsonObject) -> JsonObject:
    """The arguments, which some models send as JSON text; an empty text is absent."""
    sent = params.get("arguments")
    if not isinstance(sent, str):
        return protocol.object_of(params, "arguments")
    text = sent.strip().removeprefix("\ufeff")
    try:
        found = parse_json(text) if text else None
    except InvalidArgument as error:
        why = f"params.arguments must be a JSON object: {error}"
        raise protocol.McpError(protocol.INVALID_PARAMS, why) from error
    return protocol.object_of(protocol.fields_present(arguments=found), "arguments")


def _read_resource(server: Server, call: Call) -> JsonObject:
    uri = protocol.text_of(call.params, "uri")
    found = server.read(uri)
    if found is None:
        code = protocol.INVALID_PARAMS if call.is_current else RESOURCE_NOT_FOUND
        raise protocol.McpError(code, "params.uri is not the address of a resource", {"uri": uri})
    return {"contents": [found]}


def _get_prompt(server: Server, call: Call) -> JsonObject:
    return server.prompt(
        protocol.text_of(call.params, "name"), protocol.texts_of(call.params, "arguments"), call
    )


def _complete(server: Server, call: Call) -> JsonObject:
    ref, argument = (
        protocol.object_of(call.params, "ref"),
        protocol.object_of(call.params, "argument"),
    )
    named_by = _NAMED_BY.get(protocol.text_of(ref, "type", "params.ref"))
    if named_by is None:
        raise protocol.McpError(
            protocol.INVALID_PARAMS, f"params.ref.type must be one of {', '.join(_NAMED_BY)}"
        )
    protocol.text_of(ref, named_by, "params.ref")
    protocol.text_of(argument, "name", "params.argument")
    value = protocol.text_of(argument, "value", "params.argument")
    context = protocol.texts_of(
        protocol.object_of(call.params, "context"), "arguments", "params.context"
    )
    return {"completion": server.complete(ref, value, context)}


def _initialize(server: Server, call: Call) -> JsonObject:
    """The handshake, of which nothing is kept: there is no session."""
    asked = protocol.text_of(call.params, "protocolVersion")
    version = asked if asked in protocol.HANDSHAKE_VERSIONS else protocol.HANDSHAKE_VERSIONS[0]
    return {"protocolVersion": version, "serverInfo": server.identity, **_offer(server)}


def _offer(server: Server) -> JsonObject:
    return {"capabilities": _OFFER, "instructions": server.instructions}


def _list(name: str, listed: Callable[[Server], Sequence[JsonObject]]) -> Run:
    """A method that lists on one page, which refuses a cursor; the empty text is no cursor."""

    def run(server: Server, call: Call) -> JsonObject:
        if protocol.optional_text(call.params, "cursor"):
            raise protocol.McpError(
                protocol.INVALID_PARAMS, "params.cursor is not a cursor of this list"
            )
        return {name: listed(server)}

    return run


_OF_EVERY: Mapping[str, Run] = {
    "tools/list": _list("tools", lambda server: server.tools()),
    "tools/call": _call_tool,
    "resources/list": _list("resources", lambda server: server.resources()),
    "resources/templates/list": _list("resourceTemplates", lambda server: server.templates()),
    "resources/read": _read_resource,
    "prompts/list": _list("prompts", lambda server: server.prompts()),
    "prompts/get": _get_prompt,
    "completion/complete": _complete,
}
_OF_CURRENT: Mapping[str, Run] = {
    "server/discover": lambda server, _: {
        "supportedVersions": [*protocol.SUPPORTED],
        **_offer(server),
    }
}
_OF_HANDSHAKE: Mapping[str, Run] = {"initialize": _initialize, "ping": lambda *_: {}}
