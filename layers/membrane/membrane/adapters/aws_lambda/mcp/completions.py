"""The method that completes an argument of a prompt or of a resource template."""

from typing import Any

from membrane.adapters.aws_lambda.mcp.calls import Answer, Call
from membrane.adapters.aws_lambda.mcp.errors import INVALID_PARAMS, McpError
from membrane.adapters.aws_lambda.mcp.features import Completions
from membrane.adapters.aws_lambda.mcp.messages import fields_present
from membrane.adapters.aws_lambda.mcp.params import object_of, text_of, texts_of

NAMED_BY = {"ref/prompt": "name", "ref/resource": "uri"}
"""The field of a reference that names the prompt or the template."""


def complete(completions: Completions[Any], call: Call) -> Answer:
    ref, argument = object_of(call.params, "ref"), object_of(call.params, "argument")
    field = NAMED_BY.get(text_of(ref, "type", "params.ref"))
    if field is None:
        raise McpError(INVALID_PARAMS, f"params.ref.type must be one of {', '.join(NAMED_BY)}")
    text_of(ref, field, "params.ref")
    found = completions.complete(
        ref,
        text_of(argument, "name", "params.argument"),
        text_of(argument, "value", "params.argument"),
        texts_of(object_of(call.params, "context"), "arguments", "params.context"),
        call.caller,
    )
    completion = fields_present(
        values=list(found.values), total=found.total, hasMore=found.has_more
    )
    return Answer({"completion": completion})
