"""Methods of prompts."""

from typing import Any

from membrane.adapters.aws_lambda.mcp.calls import Answer, Call
from membrane.adapters.aws_lambda.mcp.errors import INVALID_PARAMS, McpError
from membrane.adapters.aws_lambda.mcp.features import InputRequired, Prompts
from membrane.adapters.aws_lambda.mcp.messages import fields_present
from membrane.adapters.aws_lambda.mcp.params import text_of, texts_of


def list_prompts(prompts: Prompts[Any], call: Call) -> Answer:
    call.refuse_cursor()
    return Answer({"prompts": list(prompts.list(call.caller))}, call.features.caching)


def get_prompt(prompts: Prompts[Any], call: Call) -> Answer | InputRequired:
    name, arguments = text_of(call.params, "name"), texts_of(call.params, "arguments")
    found = prompts.get(name, arguments, call.caller, call.exchange)
    if found is None:
        raise McpError(INVALID_PARAMS, "params.name is not the name of a prompt")
    if isinstance(found, InputRequired):
        return found
    messages = list(found.messages)
    return Answer(fields_present(description=found.description, messages=messages))
