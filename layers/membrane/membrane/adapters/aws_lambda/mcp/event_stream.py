"""A finished stream of server-sent events: the steps of a tool, then the response."""

from collections.abc import Iterable, Sequence
from typing import Any

from membrane.adapters.aws_lambda.mcp.features import Progress
from membrane.adapters.aws_lambda.mcp.messages import (
    RequestId,
    fields_present,
    is_id,
    notification_message,
)
from membrane.domain.language.json_text import JsonObject, compact_json


def event_stream(messages: Iterable[JsonObject]) -> str:
    """The messages as events; JSON without spaces has no line break."""
    return "".join(f"event: message\ndata: {compact_json(each)}\n\n" for each in messages)


def progress_messages(steps: Sequence[Progress], token: Any) -> Sequence[JsonObject]:
    """The notifications of the steps; none for a client without a token for progress."""
    return [_progress_message(each, token) for each in steps] if is_id(token) else []


def _progress_message(step: Progress, token: RequestId) -> JsonObject:
    params = fields_present(
        progressToken=token, progress=step.progress, total=step.total, message=step.message
    )
    return notification_message("notifications/progress", params)
