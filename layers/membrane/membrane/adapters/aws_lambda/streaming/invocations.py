"""The invocations that the Runtime API hands out, and the context that a handler gets."""

import time
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.invocation import URL_ROUTE


class Invocation(NamedTuple):
    """An event, still as JSON text, with the headers around the event."""

    payload: bytes
    request_id: str
    attempt_id: str | None
    """The reply repeats the id, so that Lambda can drop the reply of a call that timed out."""
    function_arn: str
    deadline_ms: int
    """Milliseconds since 1970."""
    trace_id: str | None


class InvocationContext:
    """The context object of one invocation."""

    def __init__(self, invocation: Invocation, event: Any) -> None:
        self.aws_request_id = invocation.request_id
        self.invoked_function_arn = invocation.function_arn
        self.streams = isinstance(event, dict) and event.get("routeKey") == URL_ROUTE
        """Whether a function URL waits for the reply; API Gateway takes whole replies alone."""
        self._deadline_ms = invocation.deadline_ms

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda stops the function."""
        now_ms = time.time() * 1000  # noqa: TID251 - Lambda states the deadline as an instant
        return max(0, round(self._deadline_ms - now_ms))
