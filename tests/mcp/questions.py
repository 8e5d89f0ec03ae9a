"""Requests to the client, and the state between a question and the answer to it."""

import hmac
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from membrane.adapters.aws_lambda.mcp.errors import INVALID_PARAMS, McpError
from membrane.adapters.aws_lambda.mcp.features import Exchange, InputRequired
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


def required(requests: Mapping[str, JsonObject], step: str | None = None) -> InputRequired:
    """The requests, with the step that the answers lead to, signed."""
    return InputRequired(requests, None if step is None else _signed(step))


def step_of(exchange: Exchange) -> str | None:
    """The step in the state; raises McpError for a state that the server did not sign."""
    state = exchange.request_state
    if state is None:
        return None
    step = state.partition(".")[0]
    if not hmac.compare_digest(state.encode(), _signed(step).encode()):
        raise McpError(INVALID_PARAMS, "params.requestState is not a state of this server")
    return step


def elicited(exchange: Exchange, name: str, field: str) -> Any:
    """The value of a field that the user filled in; None without an accepted answer."""
    content = exchange.input_responses.get(name, {}).get("content", {})
    return content.get(field) if isinstance(content, dict) else None


def is_complete(exchange: Exchange, names: Iterable[str]) -> bool:
    return exchange.input_responses.keys() >= set(names)


def _signed(step: str) -> str:
    return f"{step}.{hmac.digest(_KEY, step.encode(), 'sha256').hex()}"
