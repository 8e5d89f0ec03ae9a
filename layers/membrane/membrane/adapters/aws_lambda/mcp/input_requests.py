"""A result that asks the client first: only of the current version, only of able clients."""

from membrane.adapters.aws_lambda.mcp.calls import Call
from membrane.adapters.aws_lambda.mcp.errors import (
    BAD_REQUEST,
    INVALID_REQUEST,
    MISSING_CLIENT_CAPABILITY,
    McpError,
)
from membrane.adapters.aws_lambda.mcp.features import InputRequired
from membrane.adapters.aws_lambda.mcp.messages import fields_present
from membrane.adapters.aws_lambda.mcp.versions import CURRENT
from membrane.domain.language.json_text import JsonObject

CAPABILITIES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""The capability that a client needs to answer a request of the method."""


def input_required_result(found: InputRequired, call: Call) -> JsonObject:
    """The result that sends the requests; raises McpError if the client cannot answer them."""
    if not call.is_current:
        why = f"the request needs answers of the user, which clients of {CURRENT} can give"
        raise McpError(INVALID_REQUEST, why)
    needed = {CAPABILITIES[each["method"]] for each in found.requests.values()}
    if missing := needed - set(call.exchange.capabilities):
        capabilities: JsonObject = {name: {} for name in sorted(missing)}
        why = "the request needs capabilities that the client has not declared"
        required = {"requiredCapabilities": capabilities}
        raise McpError(MISSING_CLIENT_CAPABILITY, why, required, status=BAD_REQUEST)
    return fields_present(
        resultType="input_required",
        inputRequests=dict(found.requests) or None,
        requestState=found.state,
    )
