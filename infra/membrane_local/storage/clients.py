"""Clients of a table and of its stream; a database in memory answers requests in the process."""

import json
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar, cast

import botocore.session
from botocore import UNSIGNED
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.handlers import generate_idempotent_uuid

from membrane.wiring import clients
from membrane_local.memory.attributes import Refused
from membrane_local.memory.database import Database

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient

Client = TypeVar("Client", "DynamoDBClient", "DynamoDBStreamsClient")
NOWHERE = "http://table.invalid"
OK = 200
CLIENT_CONFIG = clients.CLIENT_CONFIG.merge(Config(read_timeout=60))
"""A store on a busy machine is slow, not lost: a repeated request would queue behind the first."""


def client_of(database: Database) -> "DynamoDBClient":
    return send_to(light_client(), MemorySession(database))


def streams_of(database: Database) -> "DynamoDBStreamsClient":
    return send_to(stream_client(NOWHERE), MemorySession(database))


class MemorySession:
    """Takes a client's requests in place of botocore's URLLib3Session."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        try:
            reply = self.database.answer(*call_in(request))
        except Refused as refused:
            status = 500 if refused.code == "InternalServerError" else 400
            return reply_of(request, status, refused.body())
        return reply_of(request, OK, reply)

    def close(self) -> None:
        """A client that ends leaves the database to the other clients."""


class _Content(BytesIO):
    """The body of a reply, in the form in which botocore reads bodies."""

    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        yield self.read()


def call_in(request: AWSPreparedRequest) -> tuple[str, dict[str, Any]]:
    """The operation and its parameters."""
    target: Any = request.headers["X-Amz-Target"]
    operation = str(target.decode() if isinstance(target, bytes) else target)
    return operation.rpartition(".")[2], json.loads(cast("bytes", request.body))


def reply_of(request: AWSPreparedRequest, status: int, reply: object) -> AWSResponse:
    text = json.dumps(reply, separators=(",", ":"))
    headers: Any = {"content-type": "application/x-amz-json-1.0"}
    return AWSResponse(request.url, status, headers, _Content(text.encode()))


def send_to(client: Client, session: Any) -> Client:
    """The client, changed to send its requests to the session, unsigned."""
    client.meta.events.register("choose-signer", lambda **_: UNSIGNED)
    endpoint = cast("Any", client)._endpoint  # noqa: SLF001 - a `before-send` hook would send what another hook has answered
    endpoint.http_session = session
    return client


def light_client(endpoint: str | None = NOWHERE) -> "DynamoDBClient":
    """A new client without botocore's event handlers, as the table's in Lambda.

    The handlers take a fifth of the CPU of a call; for the token of a transaction, one stays.
    """
    client = _session().create_client("dynamodb", config=CLIENT_CONFIG, endpoint_url=endpoint)
    client.meta.events.register(
        "before-parameter-build.dynamodb.TransactWriteItems", generate_idempotent_uuid
    )
    return cast("DynamoDBClient", client)


@cache
def _session() -> botocore.session.Session:
    """The session of all light clients, with the data and the parsers of the others."""
    made = botocore.session.Session(include_builtin_handlers=False)
    for shared in ("data_loader", "response_parser_factory"):
        made.register_component(shared, clients.session().get_component(shared))
    return made


def stream_client(endpoint_url: str | None = None) -> "DynamoDBStreamsClient":
    """A client of an emulator's streams; a dynoxide shard id is shorter than AWS's minimum."""
    client = clients.session().create_client(
        "dynamodbstreams", config=CLIENT_CONFIG, endpoint_url=endpoint_url
    )
    client.meta.events.register("before-parse.dynamodb-streams.GetRecords", _leave_as_json)
    return cast("DynamoDBStreamsClient", client)


def _leave_as_json(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: object
) -> None:
    """Keep the records as JSON: botocore would parse every number of every vector for nothing."""
    if response_dict["status_code"] == OK:
        customized_response_dict["Records"] = json.loads(response_dict["body"])["Records"]
        response_dict["body"] = b"{}"
