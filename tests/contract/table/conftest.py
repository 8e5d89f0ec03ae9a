"""A table on each implementation of DynamoDB's calls: in memory, on moto, on dynoxide."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from membrane_local.memory.database import Database
from membrane_local.storage.clients import client_of
from membrane_local.storage.moto import moto_client
from tests.worlds.dynoxide_server import run_server, server_client

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

SIZE = 3


def vector_index(hash_attribute: str, kept: str) -> dict[str, Any]:
    """An index by an attribute, filtered by `kind`, that keeps an attribute more."""
    return {
        "IndexName": "vectors",
        "VectorAttribute": {"AttributeName": "vector"},
        "Dimensions": SIZE,
        "DistanceFunction": "COSINE",
        "SearchSchema": [
            {"AttributeName": hash_attribute, "SearchSchemaElementType": "HASH"},
            {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"},
        ],
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": [kept]},
    }


DEFINITION: dict[str, Any] = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        *({"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "of", "kind")),
        {"AttributeName": "rank", "AttributeType": "N"},
        {"AttributeName": "digest", "AttributeType": "B"},
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_rank",
            "KeySchema": [
                {"AttributeName": "of", "KeyType": "HASH"},
                {"AttributeName": "rank", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["told"]},
        },
        {
            "IndexName": "by_digest",
            "KeySchema": [
                {"AttributeName": "of", "KeyType": "HASH"},
                {"AttributeName": "digest", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        },
    ],
    "VectorIndexes": [vector_index("of", "told")],
}

Item = dict[str, Any]

_numbers = count()


@dataclass(frozen=True)
class OneTable:
    """A table with a client."""

    emulator: str
    client: "DynamoDBClient"
    name: str

    def put(self, *items: Item) -> None:
        for each in items:
            self.client.put_item(TableName=self.name, Item=each)

    def call(self, operation: str, **asked: Any) -> Any:
        """The reply without what the client adds."""
        reply = getattr(self.client, operation)(TableName=self.name, **asked)
        return {name: value for name, value in reply.items() if name != "ResponseMetadata"}

    def read(self, key: Item) -> Item | None:
        found: Item | None = self.call("get_item", Key=key, ConsistentRead=True).get("Item")
        return found

    def query(self, condition: str, values: Item, **asked: Any) -> Any:
        return self.call(
            "query",
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            **asked,
        )

    def everything(self) -> list[Item]:
        """Every item, by key."""
        items = self.call("scan", ConsistentRead=True)["Items"]
        return sorted(items, key=lambda each: (each["pk"]["S"], each["sk"]["S"]))


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """The address of a dynoxide that lives as long as the session."""
    with run_server(None) as address:
        yield address


@pytest.fixture
def database() -> Database:
    """A database in memory."""
    return Database()


def made(emulator: str, client: "DynamoDBClient", **more: Any) -> OneTable:
    """A new table."""
    name = f"table-{next(_numbers)}"
    client.create_table(TableName=name, **DEFINITION, **more)
    return OneTable(emulator, client, name)


@pytest.fixture(params=["memory", "moto", "dynoxide"])
def table(request: pytest.FixtureRequest) -> Iterator[OneTable]:
    """A table of each kind."""
    if request.param == "moto":
        with mock_aws():
            yield made("moto", moto_client())
    else:
        yield request.getfixturevalue(request.param)


@pytest.fixture
def memory(database: Database) -> OneTable:
    """A table in memory."""
    return made("memory", client_of(database))


@pytest.fixture
def dynoxide(endpoint: str) -> OneTable:
    """A table of dynoxide, which is stricter than moto and counts capacity."""
    return made("dynoxide", server_client(endpoint))


@pytest.fixture(params=["memory", "dynoxide"])
def strict(request: pytest.FixtureRequest) -> OneTable:
    """A table of each kind that refuses what DynamoDB refuses."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, OneTable)
    return found


def item(pk: str = "p", sk: str = "s", **attributes: Any) -> Item:
    return {"pk": {"S": pk}, "sk": {"S": sk}, **attributes}


def text(content: str) -> Item:
    return {"S": content}


def number(content: float | str) -> Item:
    return {"N": str(content)}
