"""Botocore's client of DynamoDB, and that of its streams, over a database in memory."""

from typing import TYPE_CHECKING

from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from membrane_local.memory.database import Database
from membrane_local.memory.refusals import Refused
from membrane_local.storage.clients import (
    NOWHERE,
    asked_of,
    light_client,
    operation_of,
    reply_of,
    send_to,
)
from membrane_local.storage.table_stream import stream_client

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient


class MemorySession:
    """Takes a client's requests in place of botocore's URLLib3Session."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """DynamoDB's reply."""
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
    """A new client of the tables."""
    return send_to(light_client(), MemorySession(database))


def streams_of(database: Database) -> "DynamoDBStreamsClient":
    """A new client of the tables' streams."""
    return send_to(stream_client(NOWHERE), MemorySession(database))
