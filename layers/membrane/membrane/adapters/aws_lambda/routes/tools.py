"""The routes of the tools for agents, answered by the function of MCP."""

from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.gateway import HttpRequest
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.access.users import USER
from membrane.domain.language.json_text import Body, JsonObject
from membrane.domain.tools.requests import CallTool, ListTools
from membrane.usecases.tools.call_tool import call_named_tool
from membrane.usecases.tools.list_tools import list_tools
from membrane.usecases.tools.tool import ToolAnswer

if TYPE_CHECKING:
    from membrane.domain.tools.replies import CalledTool


def _format_and_profile(request: HttpRequest) -> JsonObject:
    names = ("format", "profile")
    request.require_query_within(names)
    asked = {name: request.once(name) for name in names}
    return {name: value for name, value in asked.items() if value is not None}


def _name_and_arguments(request: HttpRequest) -> JsonObject:
    """The name in the path and the arguments in the body; a user among them narrows the key."""
    request.require_query_within(())
    arguments = request.json_body()
    asked: JsonObject = {"name": request.path["name"], "arguments": arguments}
    if isinstance(arguments, dict) and USER in arguments:
        asked[USER] = arguments[USER]
    return asked


def _tool_reply(answer: ToolAnswer) -> Body:
    body: CalledTool = {"result": {**answer.reply}, "text": answer.text}
    return {**body, "is_error": True} if answer.is_error else body


TOOLS = (
    Operation(
        ListTools, "GET /v1/tools", None, _format_and_profile, list_tools, bodies.unchanged_body
    ),
    Operation(
        CallTool, "POST /v1/tools/{name}", None, _name_and_arguments, call_named_tool, _tool_reply
    ),
)
