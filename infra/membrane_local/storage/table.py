"""The template's table on any DynamoDB-compatible store, marked as made by the local stack."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from membrane_local.refusals import StoreRefused
from membrane_local.template import Properties

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_STRUCTURE = (
    "AttributeDefinitions",
    "KeySchema",
    "GlobalSecondaryIndexes",
    "VectorIndexes",
    "BillingMode",
)
"""What a local table takes over; encryption, backups and the like have no meaning here."""

_BATCH = 25
"""Requests that BatchWriteItem takes at most."""

_MARK = {"pk": {"S": "local-stack"}, "sk": {"S": "mark"}}


class ForeignTableError(Exception):
    """The table was not made by the local stack, so it is not the stack's to empty."""


def ensure_table(client: "DynamoDBClient", name: str, properties: Properties) -> None:
    """Create the table where it does not exist; one that exists is used as it is.

    Raises StoreRefused where the table lacks a vector index of the template, as it does in a store
    that knows no vector indexes.
    """
    with suppress(client.exceptions.ResourceNotFoundException):
        _require_vectors(client, name, properties)
        return
    definition: dict[str, Any] = {
        part: properties[part] for part in _STRUCTURE if part in properties
    }
    definition |= _stream(properties)
    client.create_table(TableName=name, **definition)
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    client.put_item(TableName=name, Item=_MARK)
    _require_vectors(client, name, properties)


def stream_of(client: "DynamoDBClient", name: str, properties: Properties) -> str:
    """The address of the table's stream; one that was made before there were readers begins now."""
    found = client.describe_table(TableName=name)["Table"].get("LatestStreamArn")
    if found is None:
        client.update_table(TableName=name, **_stream(properties))
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        found = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    return found


def _stream(properties: Properties) -> dict[str, Any]:
    """CloudFormation takes it as said that a stream which is described is wanted."""
    return {"StreamSpecification": {"StreamEnabled": True, **properties["StreamSpecification"]}}


def _require_vectors(client: "DynamoDBClient", name: str, properties: Properties) -> None:
    found: Any = client.describe_table(TableName=name)["Table"]
    wanted, there = (_names(each.get("VectorIndexes", ())) for each in (properties, found))
    if lacking := sorted(wanted - there):
        raise StoreRefused(
            f"the table {name} has no vector index {lacking[0]}: use a store that knows vector "
            "indexes, or an empty one"
        )


def _names(indexes: Iterable[Mapping[str, Any]]) -> set[str]:
    return {each["IndexName"] for each in indexes}


def is_ours(client: "DynamoDBClient", name: str) -> bool:
    """Whether the local stack created the table."""
    return "Item" in client.get_item(TableName=name, Key=_MARK, ConsistentRead=True)


def empty_table(client: "DynamoDBClient", name: str, keep_partition: str) -> None:
    """Remove every item but those of one partition, so that a kill in the middle loses no key.

    Raises ForeignTableError for a table that the local stack did not create.
    """
    if not is_ours(client, name):
        raise ForeignTableError(f"the table {name} was not created by the local stack")
    kept = (keep_partition, _MARK["pk"]["S"])
    pages = client.get_paginator("scan").paginate(
        TableName=name, ConsistentRead=True, ProjectionExpression="pk, sk"
    )
    for page in pages:
        keys = [key for key in page["Items"] if key["pk"]["S"] not in kept]
        for start in range(0, len(keys), _BATCH):
            pending: Any = {
                name: [{"DeleteRequest": {"Key": key}} for key in keys[start : start + _BATCH]]
            }
            while pending:
                pending = client.batch_write_item(RequestItems=pending)["UnprocessedItems"]
