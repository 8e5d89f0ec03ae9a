"""Sends the requests of a botocore client over plain sockets, to a server on the same machine.

urllib3 and http.client take half of the CPU of a call on the loopback interface.
"""

import socket
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, cast
from urllib.parse import SplitResult, urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import (
    ConnectionClosedError,
    EndpointConnectionError,
    HTTPClientError,
    ReadTimeoutError,
)

_END = b"\r\n"
_CHUNK = 262_144
"""Bytes of a read from a socket, at most."""


def over_plain_sockets(client: Any) -> None:
    """Change the client to send over plain sockets: HTTP 1.1, no TLS, no proxy, no redirects.

    The server must give the length of each reply, as dynoxide does. `connect_timeout` and
    `read_timeout` of the client's configuration hold; a read timeout counts from byte to byte.
    """
    settings = client.meta.config
    sockets = PlainSockets(settings.connect_timeout, settings.read_timeout)
    client._endpoint.http_session = sockets  # noqa: SLF001 - a `before-send` hook would send what another hook has answered


class _Content(BytesIO):
    """The body of a reply, in the form in which botocore reads the bodies of urllib3."""

    def stream(self) -> Iterator[bytes]:
        yield self.read()


@dataclass(frozen=True, slots=True)
class PlainSockets:
    """Sends requests in place of botocore's URLLib3Session; many threads may send at once."""

    connect_timeout_s: float
    read_timeout_s: float
    idle: deque[socket.socket] = field(default_factory=deque)
    """Open connections that wait for a request; a client has a single endpoint."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """The reply; raises EndpointConnectionError, ConnectionClosedError, ReadTimeoutError."""
        connection = self._connection(request.url)
        try:
            connection.sendall(_message(request))
            status, headers, content = _reply(connection)
        except TimeoutError as error:
            connection.close()
            raise ReadTimeoutError(endpoint_url=request.url, error=error) from error
        except OSError as error:  # the server has gone, and with the server every connection
            connection.close()
            self.close()
            raise ConnectionClosedError(
                endpoint_url=request.url, request=request, error=error
            ) from error
        except ValueError as error:
            connection.close()
            raise HTTPClientError(request=request, error=error) from error
        except BaseException:
            connection.close()  # in the middle of a reply
            raise
        if headers.get("connection", "").lower() == "close":
            connection.close()
        else:
            self.idle.append(connection)
        return AWSResponse(request.url, status, cast("Any", headers), _Content(content))

    def __del__(self) -> None:
        """Close the connections with the client: nobody closes a client of botocore."""
        self.close()

    def close(self) -> None:
        """Close the connections that wait."""
        while self.idle:
            self.idle.pop().close()

    def _connection(self, url: str) -> socket.socket:
        try:
            return self.idle.pop()
        except IndexError:
            return self._new_connection(urlsplit(url))

    def _new_connection(self, address: SplitResult) -> socket.socket:
        place = (address.hostname or "", address.port or 80)
        try:
            connection = socket.create_connection(place, self.connect_timeout_s)
        except OSError as error:
            raise EndpointConnectionError(endpoint_url=address.geturl(), error=error) from error
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(self.read_timeout_s)
        return connection


def _message(request: AWSPreparedRequest) -> bytes:
    """The bytes of an HTTP request."""
    address, body = urlsplit(request.url), request.body or b""
    content = body.encode() if isinstance(body, str) else bytes(cast("bytes", body))
    headers = {"Host": address.netloc, **request.headers, "Content-Length": str(len(content))}
    lines = [f"{request.method} {address.path or '/'} HTTP/1.1".encode()]
    for name, value in headers.items():
        lines.append(name.encode() + b": ")
        lines[-1] += value if isinstance(value, bytes) else value.encode()
    return _END.join([*lines, b"", content])


def _reply(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the next reply; raises ValueError for no HTTP, or no length."""
    received = bytearray()
    while (end := received.find(2 * _END)) < 0:
        received += _read(connection)
    first, *lines = received[:end].decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    length = headers.get("content-length")
    if length is None:
        raise ValueError("a reply without a length")
    body = received[end + 2 * len(_END) :]
    while len(body) < int(length):
        body += _read(connection)
    _, status, *_ = first.split(" ")
    return int(status), headers, bytes(body)


def _read(connection: socket.socket) -> bytes:
    """The next bytes; raises ConnectionResetError at the end of the connection."""
    read = connection.recv(_CHUNK)
    if not read:
        raise ConnectionResetError("the server closed the connection")
    return read
