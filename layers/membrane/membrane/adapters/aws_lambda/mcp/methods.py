"""The methods of the protocol: parameters, the call of a feature, and the result."""

from collections.abc import Callable, Mapping
from typing import Any

from membrane.adapters.aws_lambda.mcp.errors import Code, ProtocolError, invalid_params
from membrane.adapters.aws_lambda.mcp.features import (
    Features,
    InputRequired,
    Outcome,
    Result,
    Retry,
)
from membrane.adapters.aws_lambda.mcp.messages import CAPABILITIES, META, PREFIX, Message
from membrane.adapters.aws_lambda.mcp.versions import SUPPORTED, agreed_version
from membrane.domain.language.json_text import JsonObject

Method = Callable[[Message, Features], Result]

MAX_COMPLETIONS = 100

LIST_TTL_MS = 300_000
"""A key's rights may change; API Gateway keeps a key's rights as long."""
DISCOVERY_TTL_MS = 3_600_000

_ASKED_FOR = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""By request to a client the capability that the client must have."""


def stateless_result(method: str, result: Result, message: Message) -> JsonObject:
    """The result in the form of the stateless version, with the hints for caches.

    Raises ProtocolError for an input that the client cannot be asked for.
    """
    if isinstance(result, InputRequired):
        _require_capabilities(result, message)
        state = {} if result.state is None else {"requestState": result.state}
        asked = {"inputRequests": {**result.requests}} if result.requests else {}
        return {"resultType": "input_required", **asked, **state}
    return {"resultType": "complete", **result.result, **_CACHED.get(method, {})}


def handshake_result(result: Result) -> JsonObject:
    """The result in the form of the older versions, which know no input in an answer."""
    if isinstance(result, InputRequired):
        text = "the request needs input, which this version of the protocol does not ask for"
        raise ProtocolError(Code.INVALID_REQUEST, text)
    return result.result


def _require_capabilities(result: InputRequired, message: Message) -> None:
    declared = message.meta.get(CAPABILITIES, {})
    needed: JsonObject = {_ASKED_FOR[each["method"]]: {} for each in result.requests.values()}
    missing = {name: each for name, each in needed.items() if name not in declared}
    if missing:
        text = f"the client must be capable of {', '.join(missing)}"
        data = {"requiredCapabilities": missing}
        raise ProtocolError(Code.MISSING_CAPABILITY, text, data)


def _discover(_message: Message, features: Features) -> Result:
    identity = _identity(features)
    return Outcome(
        {
            "supportedVersions": [*SUPPORTED],
            "capabilities": features.capabilities,
            **identity,
            META: {f"{PREFIX}serverInfo": identity["serverInfo"]},
        }
    )


def _initialize(message: Message, features: Features) -> Result:
    version = agreed_version(message.params.get("protocolVersion"))
    return Outcome(
        {
            "protocolVersion": version,
            "capabilities": features.capabilities,
            **_identity(features),
        }
    )


def _identity(features: Features) -> JsonObject:
    server = features.server
    info = {"name": server.name, "version": server.version, "title": server.title}
    return {"serverInfo": info, "instructions": server.instructions}


def _ping(_message: Message, _features: Features) -> Result:
    return Outcome({})


def _list_tools(message: Message, features: Features) -> Result:
    _require_no_cursor(message)
    return Outcome({"tools": [*features.list_tools()]})


def _list_resources(message: Message, features: Features) -> Result:
    _require_no_cursor(message)
    return Outcome({"resources": [*features.list_resources()]})


def _list_templates(message: Message, features: Features) -> Result:
    _require_no_cursor(message)
    return Outcome({"resourceTemplates": [*features.list_templates()]})


def _list_prompts(message: Message, features: Features) -> Result:
    _require_no_cursor(message)
    return Outcome({"prompts": [*features.list_prompts()]})


def _call_tool(message: Message, features: Features) -> Result:
    arguments = _object(message, "arguments", {})
    return features.call_tool(_text(message, "name"), arguments, _retry_of(message))


def _read_resource(message: Message, features: Features) -> Result:
    return features.read_resource(_text(message, "uri"), _retry_of(message))


def _get_prompt(message: Message, features: Features) -> Result:
    arguments = _object(message, "arguments", {})
    return features.get_prompt(_text(message, "name"), arguments, _retry_of(message))


def _complete(message: Message, features: Features) -> Result:
    reference, argument = _object(message, "ref"), _object(message, "argument")
    values = features.complete(reference, argument)
    completion = {
        "values": [*values[:MAX_COMPLETIONS]],
        "total": len(values),
        "hasMore": len(values) > MAX_COMPLETIONS,
    }
    return Outcome({"completion": completion})


def _require_no_cursor(message: Message) -> None:
    """Every list is a single page, so no cursor is ours."""
    if message.params.get("cursor") is not None:
        raise invalid_params("cursor is not one of this server: every list is a single page")


def _text(message: Message, name: str) -> str:
    value = message.params.get(name)
    if not isinstance(value, str) or not value:
        raise invalid_params(f"params.{name} must be a string")
    return value


def _object(message: Message, name: str, default: JsonObject | None = None) -> JsonObject:
    value = message.params.get(name, default)
    if not isinstance(value, dict):
        raise invalid_params(f"params.{name} must be an object")
    return value


def _retry_of(message: Message) -> Retry:
    responses, state = message.params.get("inputResponses"), message.params.get("requestState")
    capabilities = message.meta.get(CAPABILITIES)
    token: Any = message.meta.get("progressToken")
    return Retry(
        responses if isinstance(responses, dict) else {},
        state if isinstance(state, str) else None,
        capabilities if isinstance(capabilities, dict) else {},
        token if isinstance(token, (str, int)) else None,
    )


_SHARED: Mapping[str, Method] = {
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "resources/list": _list_resources,
    "resources/templates/list": _list_templates,
    "resources/read": _read_resource,
    "prompts/list": _list_prompts,
    "prompts/get": _get_prompt,
    "completion/complete": _complete,
}

STATELESS_METHODS: Mapping[str, Method] = {"server/discover": _discover, **_SHARED}
HANDSHAKE_METHODS: Mapping[str, Method] = {"initialize": _initialize, "ping": _ping, **_SHARED}

_OF_THE_KEY = {"ttlMs": LIST_TTL_MS, "cacheScope": "private"}
_CACHED: Mapping[str, JsonObject] = {
    "server/discover": {"ttlMs": DISCOVERY_TTL_MS, "cacheScope": "public"},
    "tools/list": _OF_THE_KEY,
    "resources/list": _OF_THE_KEY,
    "resources/templates/list": _OF_THE_KEY,
    "prompts/list": _OF_THE_KEY,
    "resources/read": {"ttlMs": 0, "cacheScope": "private"},
}
"""Hints for caches by method; what memory holds may change at any time."""
