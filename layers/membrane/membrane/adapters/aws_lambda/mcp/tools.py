"""Methods of tools."""

from typing import Any

from membrane.adapters.aws_lambda.mcp.calls import Answer, Call
from membrane.adapters.aws_lambda.mcp.errors import INVALID_PARAMS, McpError
from membrane.adapters.aws_lambda.mcp.features import InputRequired, Tools
from membrane.adapters.aws_lambda.mcp.messages import fields_present
from membrane.adapters.aws_lambda.mcp.params import object_of, text_of


def list_tools(tools: Tools[Any], call: Call) -> Answer:
    call.refuse_cursor()
    return Answer({"tools": list(tools.list(call.caller))}, call.features.caching)


def call_tool(tools: Tools[Any], call: Call) -> Answer | InputRequired:
    name, arguments = text_of(call.params, "name"), object_of(call.params, "arguments")
    found = tools.call(name, arguments, call.caller, call.exchange)
    if found is None:
        raise McpError(INVALID_PARAMS, "params.name is not the name of a tool")
    if isinstance(found, InputRequired):
        return found
    result = fields_present(
        content=list(found.content),
        structuredContent=found.structured,
        isError=found.is_error or None,
    )
    return Answer(result, progress=found.progress)
