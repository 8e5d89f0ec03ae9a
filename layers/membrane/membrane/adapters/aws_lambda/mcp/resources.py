"""Methods of resources."""

from typing import Any

from membrane.adapters.aws_lambda.mcp.calls import Answer, Call
from membrane.adapters.aws_lambda.mcp.errors import (
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    McpError,
)
from membrane.adapters.aws_lambda.mcp.features import InputRequired, Resources
from membrane.adapters.aws_lambda.mcp.messages import fields_present
from membrane.adapters.aws_lambda.mcp.params import text_of


def list_resources(resources: Resources[Any], call: Call) -> Answer:
    page = resources.list(call.caller, call.cursor)
    result = fields_present(resources=list(page.items), nextCursor=page.next_cursor)
    return Answer(result, call.features.caching)


def list_templates(resources: Resources[Any], call: Call) -> Answer:
    call.refuse_cursor()
    templates = list(resources.templates(call.caller))
    return Answer({"resourceTemplates": templates}, call.features.caching)


def read_resource(resources: Resources[Any], call: Call) -> Answer | InputRequired:
    uri = text_of(call.params, "uri")
    found = resources.read(uri, call.caller, call.exchange)
    if found is None:
        code = INVALID_PARAMS if call.is_current else RESOURCE_NOT_FOUND
        raise McpError(code, "params.uri is not the address of a resource", {"uri": uri})
    if isinstance(found, InputRequired):
        return found
    return Answer({"contents": list(found.contents)}, found.caching)
