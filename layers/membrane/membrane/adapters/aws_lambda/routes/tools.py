"""The routes of the tools for agents, answered by the function of MCP."""

from membrane.adapters.aws_lambda.http.gateway import HttpRequest
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.access.users import USER
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.requests import CallTool, ListTools
from membrane.usecases.tools.call_tool import call_named_tool
from membrane.usecases.tools.list_tools import list_tools


def format_and_profile(request: HttpRequest) -> JsonObject:
    names = ("format", "profile")
    request.require_query_within(names)
    asked = {name: request.once(name) for name in names}
    return {name: value for name, value in asked.items() if value is not None}


def name_and_arguments(request: HttpRequest) -> JsonObject:
    """The name in the path, and an optional body; a `user` of the body becomes an argument.

    Raises InvalidArgument for a name in the body.
    """
    request.require_query_within(())
    body = request.json_body() if request.body else {}
    if not isinstance(body, dict):
        raise InvalidArgument("the request must be a JSON object")
    if "name" in body:
        raise InvalidArgument("the name stands in the path; the body must have none")
    return {**_with_user_as_argument(body), "name": request.path["name"]}


def _with_user_as_argument(body: JsonObject) -> JsonObject:
    """The tool narrows the key, so that the key's other calls read what the tool wrote."""
    arguments = body.get("arguments", {})
    if USER not in body or not isinstance(arguments, dict) or USER in arguments:
        return body
    rest = {name: body[name] for name in body if name != USER}
    return {**rest, "arguments": {**arguments, USER: body[USER]}}


TOOLS = (
    Operation(
        ListTools,
        "GET /v1/tools",
        None,
        format_and_profile,
        list_tools,
        has_users_within=True,
    ),
    Operation(
        CallTool,
        "POST /v1/tools/{name}",
        None,
        name_and_arguments,
        call_named_tool,
        has_users_within=True,
    ),
)
