"""A client of Lambda's Runtime API, which takes whole and streamed replies, and reports of errors.

Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, and for streams
https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html. The format of a stream is the one
of AWS's runtime client for Node.js, in `ResponseStream.js` and `HttpResponseStream.js`:
https://github.com/aws/aws-lambda-nodejs-runtime-interface-client
"""

import base64
import json
import os
import sys
import time
import traceback
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.invocation import URL_ROUTE, StreamedReply, line_fields

PREFIX = "/2018-06-01/runtime"
ATTEMPT_ID = "Lambda-Runtime-Invocation-Id"
JSON = {"Content-Type": "application/json"}
FIRST_FAILURE = 300
"""The lowest status of a refusal."""
ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
ERROR_BODY = "Lambda-Runtime-Function-Error-Body"
"""Header or trailer names of a report."""

_OWN_FOLDER = os.path.dirname(__file__)  # noqa: PTH120 - pathlib would lengthen the cold start

HEADERS = {
    "Content-Type": "application/vnd.awslambda.http-integration-response",
    "Lambda-Runtime-Function-Response-Mode": "streaming",
    "Transfer-Encoding": "chunked",
    "Trailer": f"{ERROR_TYPE}, {ERROR_BODY}",
}
DELIMITER = bytes(8)
"""The end of the prelude; JSON text has no NUL byte."""


class ErrorReport(NamedTuple):
    """An error with the frames of the function's own code."""

    kind: str
    message: str
    stack: tuple[str, ...]

    @classmethod
    def of(cls, error: Exception) -> "ErrorReport":
        frames = traceback.extract_tb(error.__traceback__)
        own = [each for each in frames if not each.filename.startswith(_OWN_FOLDER)]
        return cls(type(error).__name__, str(error), tuple(traceback.format_list(own)))

    def as_json(self) -> bytes:
        """The body of a report."""
        return json.dumps(self._values()).encode()

    def trailers(self) -> dict[str, str]:
        """The trailers of a body that ends with the error."""
        return {ERROR_TYPE: self.kind, ERROR_BODY: base64.b64encode(self.as_json()).decode()}

    def log(self, request_id: str | None = None) -> None:
        """Write a log line in Lambda's JSON format; an error at the start has no request."""
        line = {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "level": "ERROR",
            **self._values(),
            "requestId": request_id or "",
            **line_fields(time.monotonic()),
        }
        sys.stderr.write(json.dumps(line) + "\n")

    def _values(self) -> dict[str, object]:
        return {
            "errorMessage": self.message,
            "errorType": self.kind,
            "stackTrace": list(self.stack),
        }


class CallerLeftError(Exception):
    """Lambda takes no more pieces: the connection is closed."""


class StreamedBody:
    """A body in chunks; the connection sends every chunk at once."""

    def __init__(self, connection: HTTPConnection) -> None:
        self._connection = connection

    def send(self, piece: bytes) -> None:
        """Send a piece; raises CallerLeftError. A chunk without bytes would end the body."""
        if piece:
            self._write(b"%x\r\n%b\r\n" % (len(piece), piece))

    def end(self, trailers: Mapping[str, str]) -> None:
        """Send the end of the body, and await Lambda's confirmation; raises CallerLeftError."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in trailers.items())
        self._write(f"0\r\n{lines}\r\n".encode())
        try:
            self._connection.getresponse().read()
        except (OSError, HTTPException) as error:
            raise CallerLeftError from error

    def _write(self, chunk: bytes) -> None:
        try:
            self._connection.send(chunk)
        except OSError as error:
            raise CallerLeftError from error


def send_reply(reply: StreamedReply, body: StreamedBody) -> ErrorReport | None:
    """Send prelude and pieces; the report of an error of the pieces, which ends the body.

    Raises CallerLeftError. Closes the pieces in every case.
    """
    try:
        prelude = {"statusCode": reply.status, "headers": dict(reply.headers)}
        body.send(json.dumps(prelude).encode() + DELIMITER)
        report = _send_pieces(reply.chunks, body)
        body.end(report.trailers() if report else {})
    finally:
        close_pieces(reply.chunks)
    return report


def close_pieces(pieces: Iterator[bytes]) -> None:
    """End a generator before the last piece, so that the generator frees what the pieces need."""
    if isinstance(pieces, Generator):
        pieces.close()


def _send_pieces(pieces: Iterator[bytes], body: StreamedBody) -> ErrorReport | None:
    try:
        for piece in pieces:
            body.send(piece)
    except CallerLeftError:
        raise
    except Exception as error:  # noqa: BLE001 - Lambda reports whatever a function raises
        return ErrorReport.of(error)
    return None


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
    response = connection.getresponse()
    body = response.read()
    if response.status >= FIRST_FAILURE:
        raise RuntimeApiError(f"{response.status} {response.reason}: {body.decode()}")
    return response, body
