"""The body of a streamed reply: one request to the Runtime API, sent piece by piece.

The format is the one of AWS's runtime client for Node.js, in `ResponseStream.js` and
`HttpResponseStream.js`: https://github.com/aws/aws-lambda-nodejs-runtime-interface-client
"""

import json
from collections.abc import Generator, Iterator, Mapping
from http.client import HTTPConnection, HTTPException

from membrane.adapters.aws_lambda.invocation import StreamedReply
from membrane.adapters.aws_lambda.streaming.error_reports import (
    ERROR_BODY,
    ERROR_TYPE,
    ErrorReport,
)

HEADERS = {
    "Content-Type": "application/vnd.awslambda.http-integration-response",
    "Lambda-Runtime-Function-Response-Mode": "streaming",
    "Transfer-Encoding": "chunked",
    "Trailer": f"{ERROR_TYPE}, {ERROR_BODY}",
}
DELIMITER = bytes(8)
"""The end of the prelude; JSON text has no NUL byte."""


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
