"""Requests to the client, and the state between a question and the answer to it."""

import hmac
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from membrane.adapters.aws_lambda.mcp.methods import INPUT_REQUIRED, Call
from membrane.adapters.aws_lambda.mcp.protocol import (
    INVALID_PARAMS,
    McpError,
    fields_present,
    object_of,
    optional_text,
)
from membrane.domain.language.json_text import JsonObject

_KEY = secrets.token_bytes()


def elicitation(message: str, field: str, kind: str = "string") -> JsonObject:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {
        "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": schema},
    }


def sampling(words: str) -> JsonObject:
    message = {"role": "user", "content": {"type": "text", "text": words}}
    return {
        "method": "sampling/createMessage",
        "params": {"messages": [message], "maxTokens": 100},
    }


def roots() -> JsonObject:
    return {"method": "roots/list", "params": {}}


def required(requests: Mapping[str, JsonObject], step: str | None = None) -> JsonObject:
    """The requests, with the step that the answers lead to, signed."""
    return fields_present(
        resultType=INPUT_REQUIRED,
        inputRequests={**requests},
        requestState=None if step is None else _signed(step),
    )


def answers_in(call: Call) -> JsonObject:
    return object_of(call.params, "inputResponses")


def step_of(call: Call) -> str | None:
    """The step in the state; raises McpError for a state that the server did not sign."""
    state = optional_text(call.params, "requestState")
    if state is None:
        return None
    step = state.partition(".")[0]
    if not hmac.compare_digest(state.encode(), _signed(step).encode()):
        raise McpError(INVALID_PARAMS, "params.requestState is not a state of this server")
    return step


def elicited(call: Call, name: str, field: str) -> Any:
    """The value of a field that the user filled in; None without an accepted answer."""
    content = answers_in(call).get(name, {}).get("content", {})
    return content.get(field) if isinstance(content, dict) else None


def is_complete(call: Call, names: Iterable[str]) -> bool:
    return answers_in(call).keys() >= set(names)


def _signed(step: str) -> str:
    return f"{step}.{hmac.digest(_KEY, step.encode(), 'sha256').hex()}"
