"""A single HTTP request to an endpoint: bounded in time and size, and never redirected."""

import re
import ssl
from collections.abc import Callable, Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

_PORTS = {"https": 443, "http": 80}


class Endpoint(NamedTuple):
    """The parts of an address."""

    host: str
    port: int
    target: str
    """Path and query."""
    is_secure: bool


def endpoint_at(url: str, *, allows_loopback: bool = False) -> Endpoint:
    """The endpoint of an address; raises ValueError for an address that may not be asked.

    With `allows_loopback`, an address of the same machine may be HTTP. The error never repeats the
    address, which may hold a password.
    """
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("must be a URL of visible ASCII characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("must be a URL with a host, and a port from 0 to 65535") from None
    is_local = parts.scheme == "http" and allows_loopback and is_loopback(host or "")
    if not host or not (parts.scheme == "https" or is_local):
        raise ValueError("must be a URL that begins with https:// and has a host")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise ValueError("must be a URL without user, password and fragment")
    query = f"?{parts.query}" if parts.query else ""
    usual = _PORTS[parts.scheme]
    return Endpoint(host, port or usual, f"{parts.path or '/'}{query}", parts.scheme == "https")


def is_loopback(host: str) -> bool:
    """Whether the host is this machine by its loopback interface; a name is `localhost` alone."""
    if host in {"localhost", "localhost."}:
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # before Python 3.13, an IPv4 address within IPv6 was no loopback address
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


MAX_REPLY_BYTES = 1_048_576
"""The most bytes of a reply that are read, 1 MiB."""

_CHUNK_BYTES = 65_536
_SECONDS = re.compile(r"\d{1,9}", re.ASCII)


class NotConnected(Exception):
    """The endpoint cannot be reached; the endpoint saw nothing of the request."""


class NoReply(Exception):
    """The endpoint did not answer in time, or the connection broke."""


class TooLong(Exception):
    """The reply has more than MAX_REPLY_BYTES."""


class Request(NamedTuple):
    method: str
    headers: Mapping[str, str]
    body: bytes | None = None


class Reply(NamedTuple):
    status: int
    content: bytes
    retry_after_s: int
    """Seconds that the endpoint asks to wait; 0 = not said, or said as a date."""


def exchange(
    endpoint: Endpoint, request: Request, elapsed_s: Callable[[], float], timeout_s: float
) -> Reply:
    """The reply to one request, whatever the status; a redirect is a reply like any other.

    `timeout_s` bounds the connection, each wait for a header, and the reading of the whole body.
    Raises NotConnected, NoReply and TooLong.
    """
    connection = _connection(endpoint, timeout_s)
    deadline_s = elapsed_s() + timeout_s
    try:
        _connect(connection)
        connection.request(request.method, endpoint.target, request.body, dict(request.headers))
        with closing(_TimedReply(connection, lambda: deadline_s - elapsed_s())) as reply:
            return Reply(reply.status, reply.read(), reply.retry_after_s)
    except (OSError, HTTPException) as error:
        raise NoReply from error
    finally:
        connection.close()


def seconds_in(retry_after: str) -> int:
    """The seconds in the value of a header `Retry-After`; 0 for a date or anything else."""
    text = retry_after.strip()
    return int(text) if _SECONDS.fullmatch(text) else 0


def _connection(endpoint: Endpoint, timeout_s: float) -> HTTPConnection:
    host, port = endpoint.host, endpoint.port
    if not endpoint.is_secure:
        return HTTPConnection(host, port, timeout=timeout_s)
    return HTTPSConnection(host, port, timeout=timeout_s, context=ssl.create_default_context())


def _connect(connection: HTTPConnection) -> None:
    try:
        connection.connect()
    except OSError as error:
        raise NotConnected from error


class _TimedReply:
    """A reply whose body must arrive in the time left."""

    def __init__(self, connection: HTTPConnection, left_s: Callable[[], float]) -> None:
        self._socket = connection.sock  # the connection forgets the socket with the last reply
        self._left_s = left_s
        self._reply: HTTPResponse = connection.getresponse()

    @property
    def status(self) -> int:
        return self._reply.status

    @property
    def retry_after_s(self) -> int:
        return seconds_in(self._reply.getheader("Retry-After") or "")

    def close(self) -> None:
        """End the reply, whose socket outlives the connection until then."""
        self._reply.close()

    def read(self) -> bytes:
        """The body; raises TooLong, TimeoutError, and IncompleteRead for a broken connection."""
        content = b""
        while chunk := self._read_some():
            content += chunk
            if len(content) > MAX_REPLY_BYTES:
                raise TooLong
        if self._reply.length:
            raise IncompleteRead(content, self._reply.length)
        return content

    def _read_some(self) -> bytes:
        if self._reply.isclosed():  # with the last byte; the socket has closed as well
            return b""
        left_s = self._left_s()
        if left_s <= 0:
            raise TimeoutError
        self._socket.settimeout(left_s)
        return self._reply.read1(_CHUNK_BYTES)
