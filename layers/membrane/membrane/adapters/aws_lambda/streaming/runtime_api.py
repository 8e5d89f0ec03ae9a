"""A client of Lambda's Runtime API.

Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, and for streams
https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.invocation import URL_ROUTE
from membrane.adapters.aws_lambda.streaming.error_reports import ERROR_TYPE, ErrorReport
from membrane.adapters.aws_lambda.streaming.streamed_body import HEADERS, StreamedBody

PREFIX = "/2018-06-01/runtime"
ATTEMPT_ID = "Lambda-Runtime-Invocation-Id"
JSON = {"Content-Type": "application/json"}
FIRST_FAILURE = 300
"""The lowest status of a refusal."""


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


class RuntimeApiError(Exception):
    """Lambda refused a call; the process must end, and Lambda starts a new one."""


class RuntimeApi(NamedTuple):
    """The API at `address` (host and port); every call has a connection of its own."""

    address: str

    def next_invocation(self) -> Invocation:
        """Wait for an event, without a time limit: Lambda freezes the process meanwhile."""
        with closing(HTTPConnection(self.address)) as connection:
            connection.request("GET", f"{PREFIX}/invocation/next")
            response, payload = _read(connection)
        return Invocation(
            payload=payload,
            request_id=response.headers["Lambda-Runtime-Aws-Request-Id"],
            attempt_id=response.headers[ATTEMPT_ID],
            function_arn=response.headers["Lambda-Runtime-Invoked-Function-Arn"],
            deadline_ms=int(response.headers["Lambda-Runtime-Deadline-Ms"]),
            trace_id=response.headers["Lambda-Runtime-Trace-Id"],
        )

    def post_reply(self, invocation: Invocation, reply: bytes) -> None:
        """Send a whole reply in JSON."""
        self._post(_path(invocation, "response"), reply, JSON | _attempt(invocation))

    def post_error(self, invocation: Invocation, report: ErrorReport) -> None:
        """Report an error in place of a reply; after the first piece of a stream it is too late."""
        headers = JSON | {ERROR_TYPE: report.kind} | _attempt(invocation)
        self._post(_path(invocation, "error"), report.as_json(), headers)

    def post_init_error(self, report: ErrorReport) -> None:
        """Report that the function cannot start."""
        self._post(f"{PREFIX}/init/error", report.as_json(), JSON | {ERROR_TYPE: report.kind})

    @contextmanager
    def open_stream(self, invocation: Invocation) -> Iterator[StreamedBody]:
        """A body for a streamed reply; the connection is closed after the block, as Lambda asks."""
        with closing(HTTPConnection(self.address)) as connection:
            connection.putrequest("POST", _path(invocation, "response"))
            for name, value in (HEADERS | _attempt(invocation)).items():
                connection.putheader(name, value)
            connection.endheaders()
            yield StreamedBody(connection)

    def _post(self, path: str, body: bytes, headers: Mapping[str, str]) -> None:
        with closing(HTTPConnection(self.address)) as connection:
            connection.request("POST", path, body, headers)
            _read(connection)


def _path(invocation: Invocation, end: str) -> str:
    return f"{PREFIX}/invocation/{invocation.request_id}/{end}"


def _attempt(invocation: Invocation) -> dict[str, str]:
    return {ATTEMPT_ID: invocation.attempt_id} if invocation.attempt_id else {}


def _read(connection: HTTPConnection) -> tuple[HTTPResponse, bytes]:
    """The response and the whole body; raises RuntimeApiError."""
    response = connection.getresponse()
    body = response.read()
    if response.status >= FIRST_FAILURE:
        raise RuntimeApiError(f"{response.status} {response.reason}: {body.decode()}")
    return response, body
