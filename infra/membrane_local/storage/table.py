"""The template's table on any DynamoDB-compatible store, marked as made by the local stack."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

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

_REFUSED = "ValidationException"

_BATCH = 25
"""Requests that BatchWriteItem takes at most."""

_MARK = {"pk": {"S": "local-stack"}, "sk": {"S": "mark"}}


class ForeignTableError(Exception):
    """The table was not made by the local stack, so it is not the stack's to empty."""


def ensure_table(client: "DynamoDBClient", name: str, properties: Properties) -> bool:
    """Create the table where it does not exist; one that exists is used as it is.

    Whether it has the vector index that is wanted: a store that knows no such thing gets the table
    without it.
    """
    with suppress(client.exceptions.ResourceNotFoundException):
        return _has_vectors(client, name, properties)
    definition: dict[str, Any] = {
        part: properties[part] for part in _STRUCTURE if part in properties
    }
    definition |= _stream(properties)
    try:
        client.create_table(TableName=name, **definition)
    except ClientError as refusal:
        if "VectorIndexes" not in definition or refusal.response["Error"]["Code"] != _REFUSED:
            raise
        client.create_table(TableName=name, **_without_vectors(definition))
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    client.put_item(TableName=name, Item=_MARK)
    return _has_vectors(client, name, properties)


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


def _has_vectors(client: "DynamoDBClient", name: str, properties: Properties) -> bool:
    found: Any = client.describe_table(TableName=name)["Table"]
    indexes = [_names(each.get("VectorIndexes", ())) for each in (properties, found)]
    return bool(indexes[0]) and indexes[0] <= indexes[1]


def _names(indexes: Iterable[Mapping[str, Any]]) -> set[str]:
    return {each["IndexName"] for each in indexes}


def _without_vectors(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Without the vector index, and the attributes that only it has for its filters."""
    schemas = [definition["KeySchema"]]
    schemas += [index["KeySchema"] for index in definition["GlobalSecondaryIndexes"]]
    keys = {key["AttributeName"] for schema in schemas for key in schema}
    attributes = definition["AttributeDefinitions"]
    return {
        **{part: value for part, value in definition.items() if part != "VectorIndexes"},
        "AttributeDefinitions": [each for each in attributes if each["AttributeName"] in keys],
    }


def empty_table(client: "DynamoDBClient", name: str, keep_partition: str) -> None:
    """Remove every item but those of one partition, so that a kill in the middle loses no key.

    Raises ForeignTableError for a table that the local stack did not create.
    """
    if "Item" not in client.get_item(TableName=name, Key=_MARK, ConsistentRead=True):
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
