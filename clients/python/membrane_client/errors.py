"""Errors of a call.

MembraneError
├── InvalidCall           a parameter no request can have: a ValueError, too; nothing was sent
├── ConnectionFailed      no reply
├── TimedOut              no reply in time
├── UnexpectedReply       a reply unlike the API's description
├── Gone                  a repeated write whose record was deleted since
├── StillRunning          an erasure is under way when the time to wait is over
├── InvalidCertificate    the entries of a certificate are not what the signature covers
└── APIError              a refusal: status, code, detail, errors, request_id
    ├── BadRequest 400, Unauthorized 401, Forbidden 403, NotFound 404, Conflict 409
    ├── PayloadTooLarge 413, TooManyRequests 429
    └── ServerError       5xx
"""

import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from http import HTTPStatus
from typing import Any, TypeVar

Found = TypeVar("Found")


class MembraneError(Exception):
    """Any failure of a call."""


class InvalidCall(MembraneError, ValueError):
    """A parameter or an option that no request can have; nothing was sent."""


class ConnectionFailed(MembraneError):
    """The service could not be reached, or hung up before the reply."""


class TimedOut(MembraneError):
    """A phase of an attempt took longer than `timeout` seconds."""


class UnexpectedReply(MembraneError):
    """A reply is unlike the API's description."""


@contextmanager
def as_described(what: str) -> Iterator[None]:
    """Turns the failure to read a part of a reply into UnexpectedReply."""
    try:
        yield
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise UnexpectedReply(f"{what} is not as expected") from error


class Gone(MembraneError):
    """The write was done before under the same idempotency key; the record was deleted since."""

    def __init__(self, record_id: str, deleted_at: datetime) -> None:
        super().__init__(f"record {record_id} was deleted at {deleted_at.isoformat()}")
        self.record_id = record_id
        self.deleted_at = deleted_at


class StillRunning(MembraneError):
    """The time to wait is over, and the erasure goes on; `erasure(id)` reads the state later."""

    def __init__(self, erasure_id: str, waited_s: float) -> None:
        super().__init__(f"erasure {erasure_id} goes on: not ended after {waited_s:g} s")
        self.erasure_id = erasure_id


class InvalidCertificate(MembraneError):
    """A certificate lacks a part, or the entries differ from `entries` and `entries_sha256`."""


_HINTS: Mapping[int, str] = {
    401: " (no API key came)",
    403: " (the API key is unknown, expired or revoked, or lacks the right)",
    404: " (no route of the API: is `url` right?)",
}
"""Where the gateway answered for the service, by status."""


class APIError(MembraneError):
    """The service refused the request."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        request_id: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        fields = "".join(
            _unsaid(str(each.get("field")), str(each.get("message")), detail) for each in errors
        )
        head = f"{status} {code}" if code else str(status)
        hint = "" if code else _HINTS.get(status, "")
        super().__init__(f"{head}: {detail}{fields}{hint}")
        self.status = status
        self.code = code
        """`NOT_FOUND` and the like; empty where the gateway answered for the service."""
        self.detail = detail
        self.errors = tuple(errors)
        """`{"field", "message"}` of the refused fields."""
        self.request_id = request_id
        """The id by which the service's log has the request."""
        self.retry_after_s = retry_after_s
        self.reply: Any = None
        """A ChatReply where a streamed conversation failed after tools had run."""


def _unsaid(field: str, message: str, detail: str) -> str:
    """What the detail does not say of a refused field."""
    name = field.partition(".")[0]
    if message in detail:
        return "" if name in detail else f" ({field})"
    return f"; {message}" if name in message else f"; {field}: {message}"


class BadRequest(APIError):
    """400: a field does not fit."""


class Unauthorized(APIError):
    """401: no key."""


class Forbidden(APIError):
    """403: an unknown or revoked key, or a key without the right."""


class NotFound(APIError):
    """404: absent, or hidden from the key."""


class Conflict(APIError):
    """409: a state that forbids the change, a key used for a second body, or a lost race."""


class PayloadTooLarge(APIError):
    """413: more than a request carries."""


class TooManyRequests(APIError):
    """429: throttled."""


class ServerError(APIError):
    """5xx: a fault of the service."""


_BY_STATUS: Mapping[int, type[APIError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: PayloadTooLarge,
    429: TooManyRequests,
}


def is_absent(error: APIError) -> bool:
    """Whether the service found no such thing, or none that the key may see.

    A 404 of the gateway, for a URL that is no route of the API, says nothing of the thing.
    """
    return error.code == "NOT_FOUND"


def or_none(call: Callable[..., Found], *args: Any) -> Found | None:
    """The result of the call; None where the service found no such thing."""
    try:
        return call(*args)
    except NotFound as error:
        if is_absent(error):
            return None
        raise


async def unless_absent(call: Awaitable[Found]) -> Found | None:
    """The result of the call; None where the service found no such thing."""
    try:
        return await call
    except NotFound as error:
        if is_absent(error):
            return None
        raise


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> APIError:
    """The error of a reply; header names in lower case."""
    try:
        read = json.loads(body)
    except (RecursionError, ValueError):
        read = None
    problem: Mapping[str, Any] = read if isinstance(read, dict) else {}
    detail = problem.get("detail") or problem.get("message")
    errors = problem.get("errors")
    listed = errors if isinstance(errors, list) else []
    # an entry of a batch and an event of a stream have no headers
    request_id = headers.get("apigw-requestid") or headers.get("x-amzn-requestid")
    is_fault = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = ServerError if is_fault else _BY_STATUS.get(status, APIError)
    return kind(
        status,
        str(problem.get("code", "")),
        str(detail or body[:200].decode(errors="replace") or "no detail"),
        errors=[each for each in listed if isinstance(each, dict)],
        request_id=request_id or problem.get("request_id"),
        retry_after_s=_seconds(headers.get("retry-after")),
    )


def _seconds(retry_after: str | None) -> float | None:
    """A header's number of seconds, or seconds until a header's date."""
    if not retry_after:
        return None
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", retry_after):
        return float(retry_after)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few services send a date

    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
