"""The table of methods, and the result of a request by its version."""

from collections.abc import Callable
from functools import partial
from typing import Any

from membrane.adapters.aws_lambda.mcp.calls import Answer, Call
from membrane.adapters.aws_lambda.mcp.completions import complete
from membrane.adapters.aws_lambda.mcp.errors import (
    METHOD_NOT_FOUND,
    NOT_FOUND,
    OK,
    McpError,
)
from membrane.adapters.aws_lambda.mcp.features import InputRequired
from membrane.adapters.aws_lambda.mcp.input_requests import input_required_result
from membrane.adapters.aws_lambda.mcp.metadata import SERVER_INFO
from membrane.adapters.aws_lambda.mcp.prompts import get_prompt, list_prompts
from membrane.adapters.aws_lambda.mcp.resources import (
    list_resources,
    list_templates,
    read_resource,
)
from membrane.adapters.aws_lambda.mcp.server import discover, initialize, ping
from membrane.adapters.aws_lambda.mcp.tools import call_tool, list_tools
from membrane.domain.language.json_text import JsonObject

Run = Callable[[Call], Answer | InputRequired]
RunPart = Callable[[Any, Call], Answer | InputRequired]

OF_PARTS: dict[str, tuple[str, RunPart]] = {
    "tools/list": ("tools", list_tools),
    "tools/call": ("tools", call_tool),
    "resources/list": ("resources", list_resources),
    "resources/templates/list": ("resources", list_templates),
    "resources/read": ("resources", read_resource),
    "prompts/list": ("prompts", list_prompts),
    "prompts/get": ("prompts", get_prompt),
    "completion/complete": ("completions", complete),
}
"""Methods of every version, with the part of the features that a method needs."""

OF_CURRENT: dict[str, Run] = {"server/discover": discover}
OF_HANDSHAKE: dict[str, Run] = {"initialize": initialize, "ping": ping}


def run_method(method: str, call: Call) -> Answer:
    """The answer with the result in the form of the call's version; raises McpError."""
    found = _method_named(method, call)(call)
    if isinstance(found, InputRequired):
        return Answer(_with_identity(input_required_result(found, call), call))
    if not call.is_current:
        return found
    result: JsonObject = {"resultType": "complete", **found.result}
    if found.caching is not None:
        result |= {"ttlMs": found.caching.ttl_ms, "cacheScope": found.caching.scope}
    return found._replace(result=_with_identity(result, call))


def _method_named(method: str, call: Call) -> Run:
    own = OF_CURRENT if call.is_current else OF_HANDSHAKE
    if method in own:
        return own[method]
    name, run = OF_PARTS.get(method, ("", None))
    part = call.features.parts().get(name)
    if run is None or part is None:
        status = NOT_FOUND if call.is_current else OK
        raise McpError(METHOD_NOT_FOUND, "the server has no such method", status=status)
    return partial(run, part)


def _with_identity(result: JsonObject, call: Call) -> JsonObject:
    return {**result, "_meta": {SERVER_INFO: call.features.identity}}
