"""Failures that no emulator produces, put between a real client and the store."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from threading import get_ident
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSResponse
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from membrane.table.blobs import Blob
from tests.fakes.bucket import FakeBlobs

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_s3 import S3Client

ADDRESS = "http://127.0.0.1"
TYPES = "com.amazonaws.dynamodb.v20120810#"

Answer = AWSResponse | Exception


class _Body:
    """What botocore reads a response's content from."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def read(self, *_: object, **__: object) -> bytes:
        content, self.content = self.content, b""
        return content

    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        yield self.content


def response(
    status: int,
    content: str,
    content_type: str = "application/x-amz-json-1.0",
    length: int | None = None,
) -> Answer:
    """A response as it comes from the network; with a length, one that breaks off."""
    headers: Any = {"content-type": content_type, "x-amzn-requestid": "request-1"}
    if length is not None:
        headers["content-length"] = str(length)
    return AWSResponse(ADDRESS, status, headers, _Body(content.encode()))


def failure(code: str, status: int = 400, **fields: Any) -> Answer:
    """DynamoDB's refusal of a request."""
    return response(status, json.dumps({"__type": TYPES + code, "message": "no", **fields}))


def cancelled(*codes: str) -> Answer:
    """DynamoDB's refusal of a transaction, with the reason of each action."""
    reasons = [{"Code": code, "Message": "no"} for code in codes]
    return failure("TransactionCanceledException", CancellationReasons=reasons)


def gateway_failure(status: int) -> Answer:
    """What a load balancer answers in DynamoDB's place."""
    return response(status, f"<html><body>{status}</body></html>", "text/html")


UNREACHABLE: dict[str, Callable[[], Answer]] = {
    "connect timeout": lambda: ConnectTimeoutError(endpoint_url=ADDRESS),
    "read timeout": lambda: ReadTimeoutError(endpoint_url=ADDRESS),
    "no endpoint": lambda: EndpointConnectionError(endpoint_url=ADDRESS, error="refused"),
    "connection closed": lambda: ConnectionClosedError(endpoint_url=ADDRESS),
}


def intercept(
    client: "DynamoDBClient | S3Client", operation: str, answer: Callable[[], Answer | None]
) -> None:
    """Ask `answer` before each request of that operation; None lets the request through.

    An answer takes the place of the reply. Moto carries the request out all the same; a server that
    is called over HTTP never sees it.
    """

    def before_send(**_: object) -> AWSResponse | None:
        given = answer()
        if isinstance(given, Exception):
            raise given
        return given

    hooks(client).register(f"before-send.{_service(client)}.{operation}", before_send)


def without_retries(client: "DynamoDBClient | S3Client") -> None:
    """Let the first failure be the last: how often botocore tries again is not the question."""
    hooks(client).register_first(
        f"needs-retry.{_service(client)}",
        lambda **_: False,  # anything but None ends the matter
    )


WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem")


def before_writes(client: "DynamoDBClient", deed: Callable[[], object], *named: str) -> None:
    """Do the deed before each write with all these names, but for its own: a rival, or the end."""
    under_way: list[object] = []

    def before_call(params: Any, **_: object) -> None:
        if not under_way and all(each in params["body"].decode() for each in named):
            under_way.append(deed)
            try:
                deed()
            finally:
                under_way.clear()

    for operation in WRITES:
        hooks(client).register(f"before-call.dynamodb.{operation}", before_call)


@dataclass(slots=True)
class Life:
    """A process that ends before a write, once no writes are left."""

    writes_left: int = 1_000

    def step(self) -> None:
        """Die, or count a write."""
        if not self.writes_left:
            raise Killed
        self.writes_left -= 1


def mortal(client: "DynamoDBClient", writes: int = 1_000) -> Life:
    """Let the writer end before the write after so many."""
    life = Life(writes)
    before_writes(client, life.step)
    return life


class Killed(BaseException):
    """The process ends here: nothing may catch it."""


def die() -> None:
    """End the process."""
    raise Killed


@dataclass(slots=True)
class Moment:
    """Lets something happen at one step of a process; each call has one before and one after it."""

    step: int
    happening: Callable[[], object]
    steps: Iterator[int] = field(default_factory=count)
    has_come: bool = False

    def __call__(self, **_: object) -> None:
        """One step more."""
        if next(self.steps) == self.step:
            self.has_come = True
            self.happening()


@contextmanager
def at(moment: Callable[..., None], *clients: "DynamoDBClient | S3Client") -> Iterator[None]:
    """Let the calls of these clients be the steps."""
    names = [
        (client, f"{name}.{_service(client)}")
        for client in clients
        for name in ("before-send", "after-call")
    ]
    for client, name in names:
        hooks(client).register(name, moment)
    try:
        yield
    finally:
        for client, name in names:
            hooks(client).unregister(name, moment)


@contextmanager
def killed_at(step: int, *clients: "DynamoDBClient | S3Client") -> Iterator[None]:
    """Let the process end at a step of this thread; background work of other threads goes on."""
    here, moment = get_ident(), Moment(step, die)

    def step_here(**_: object) -> None:
        if get_ident() == here:
            moment()

    with suppress(Killed), at(step_here, *clients):
        yield


@dataclass(slots=True)
class SteppingBlobs(FakeBlobs):
    """A bucket whose calls are steps, too."""

    moment: Callable[[], object] = lambda: None

    def write(self, name: str, content: bytes) -> None:
        """See BlobStore."""
        self.moment()
        FakeBlobs.write(self, name, content)
        self.moment()

    def get(self, name: str) -> bytes | None:
        """See BlobStore."""
        self.moment()
        found = FakeBlobs.get(self, name)
        self.moment()
        return found

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        """See BlobStore."""
        self.moment()
        found = list(FakeBlobs.list_blobs(self, record_id))
        self.moment()
        yield from found

    def remove(self, name: str) -> None:
        """See BlobStore."""
        self.moment()
        FakeBlobs.remove(self, name)
        self.moment()

    def erase(self, name: str) -> None:
        """See BlobStore."""
        self.moment()
        FakeBlobs.erase(self, name)
        self.moment()

    def erase_removed(self, record_id: str) -> None:
        """See BlobStore."""
        self.moment()
        FakeBlobs.erase_removed(self, record_id)
        self.moment()


def hooks(client: "DynamoDBClient | S3Client") -> Any:
    """The events of a client; its stubs know nothing of hooks that answer."""
    return client.meta.events


def _service(client: "DynamoDBClient | S3Client") -> str:
    return str(client.meta.service_model.service_name)


@contextmanager
def silent_records(client: "DynamoDBClient") -> Iterator[None]:
    """The table answers no request for a record meanwhile."""
    events, name = client.meta.events, "provide-client-params.dynamodb"

    def refuse(params: object, **_: object) -> None:
        if "record#" in str(params):
            raise EndpointConnectionError(endpoint_url=ADDRESS)

    events.register_first(name, refuse)
    try:
        yield
    finally:
        events.unregister(name, refuse)
