"""Clients of DynamoDB whose requests may stay in the process, as those of a database in memory."""

import json
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import botocore.session
from botocore import UNSIGNED
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.handlers import generate_idempotent_uuid

from membrane.wiring import clients
from membrane_local.memory.attributes import Refused
from membrane_local.memory.database import Database
from membrane_local.storage.table import CLIENT_CONFIG, stream_client

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient


Client = TypeVar("Client", "DynamoDBClient", "DynamoDBStreamsClient")
NOWHERE = "http://table.invalid"


class Answering(Protocol):
    """Takes a client's requests in place of botocore's URLLib3Session."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse: ...
    def close(self) -> None: ...


class Content(BytesIO):
    """The body of a reply, in the form in which botocore reads bodies."""

    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        yield self.read()


def light_client(endpoint: str | None = NOWHERE) -> "DynamoDBClient":
    """A new client without botocore's event handlers, as the table's in Lambda.

    The handlers take a fifth of the CPU of a call; for the token of a transaction, one stays.
    """
    client = _session().create_client("dynamodb", config=CLIENT_CONFIG, endpoint_url=endpoint)
    client.meta.events.register(
        "before-parameter-build.dynamodb.TransactWriteItems", generate_idempotent_uuid
    )
    return cast("DynamoDBClient", client)


def send_to(client: Client, answering: Answering) -> Client:
    """The client, changed to send its requests there, unsigned."""
    client.meta.events.register("choose-signer", lambda **_: UNSIGNED)
    endpoint = cast("Any", client)._endpoint  # noqa: SLF001 - a `before-send` hook would send what another hook has answered
    endpoint.http_session = answering
    return client


def operation_of(request: AWSPreparedRequest) -> str:
    target: Any = request.headers["X-Amz-Target"]
    return str(target.decode() if isinstance(target, bytes) else target).rpartition(".")[2]


def asked_of(request: AWSPreparedRequest) -> dict[str, Any]:
    asked: dict[str, Any] = json.loads(cast("bytes", request.body))
    return asked


def reply_of(request: AWSPreparedRequest, status: int, reply: object) -> AWSResponse:
    """DynamoDB's reply to a request: JSON, or text that is JSON."""
    text = reply if isinstance(reply, str) else json.dumps(reply, separators=(",", ":"))
    headers: Any = {"content-type": "application/x-amz-json-1.0"}
    return AWSResponse(request.url, status, headers, Content(text.encode()))


@cache
def _session() -> botocore.session.Session:
    """The session of all light clients, with the data and the parsers of the others."""
    made = botocore.session.Session(include_builtin_handlers=False)
    for shared in ("data_loader", "response_parser_factory"):
        made.register_component(shared, clients.session().get_component(shared))
    return made


class MemorySession:
    """Takes a client's requests in place of botocore's URLLib3Session."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        try:
            return reply_of(
                request, 200, self.database.answer(operation_of(request), asked_of(request))
            )
        except Refused as refused:
            status = 500 if refused.code == "InternalServerError" else 400
            return reply_of(request, status, refused.body())

    def close(self) -> None:
        """A client that ends leaves the database to the other clients."""


def client_of(database: Database) -> "DynamoDBClient":
    return send_to(light_client(), MemorySession(database))


def streams_of(database: Database) -> "DynamoDBStreamsClient":
    return send_to(stream_client(NOWHERE), MemorySession(database))
