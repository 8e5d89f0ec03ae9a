"""Methods of tools."""

from typing import Any

from membrane.adapters.aws_lambda.mcp.calls import Answer, Call
from membrane.adapters.aws_lambda.mcp.errors import INVALID_PARAMS, McpError
from membrane.adapters.aws_lambda.mcp.features import InputRequired, Tools
from membrane.adapters.aws_lambda.mcp.messages import fields_present
from membrane.adapters.aws_lambda.mcp.params import object_of, text_of
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json


def list_tools(tools: Tools[Any], call: Call) -> Answer:
    call.refuse_cursor()
    return Answer({"tools": list(tools.list(call.caller))}, call.features.caching)


def call_tool(tools: Tools[Any], call: Call) -> Answer | InputRequired:
    name, arguments = text_of(call.params, "name"), _arguments_in(call.params)
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


def _arguments_in(params: JsonObject) -> JsonObject:
    """The arguments, which some models send as JSON text; an empty text is absent."""
    sent = params.get("arguments")
    if not isinstance(sent, str):
        return object_of(params, "arguments")
    text = sent.strip().removeprefix("\ufeff")
    try:
        found = parse_json(text) if text else None
    except InvalidArgument as error:
        why = f"params.arguments must be a JSON object: {error}"
        raise McpError(INVALID_PARAMS, why) from error
    return object_of(fields_present(arguments=found), "arguments")
