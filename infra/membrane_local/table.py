"""The template's table on any DynamoDB-compatible store, marked as made by the local stack."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from membrane_local.template import Properties

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_STRUCTURE = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
"""What a local table takes over; encryption, backups and the like have no meaning here, and a
stream without a reader only makes an emulator slower."""

_MARK = {"pk": {"S": "local-stack"}, "sk": {"S": "mark"}}


class ForeignTableError(Exception):
    """The table was not made by the local stack, so it is not the stack's to empty."""


def ensure_table(client: "DynamoDBClient", name: str, properties: Properties) -> None:
    """Create the table where it does not exist; one that exists is used as it is."""
    with suppress(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=name)
        return
    definition: dict[str, Any] = {part: properties[part] for part in _STRUCTURE}
    client.create_table(TableName=name, **definition)
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    client.put_item(TableName=name, Item=_MARK)


def recreate_table(
    client: "DynamoDBClient", name: str, properties: Properties, keep_partition: str
) -> None:
    """Empty the table but for one partition; raises ForeignTableError for a table not ours."""
    if "Item" not in client.get_item(TableName=name, Key=_MARK):
        raise ForeignTableError(f"the table {name} was not created by the local stack")
    kept = _partition(client, name, keep_partition)
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    ensure_table(client, name, properties)
    for item in kept:
        client.put_item(TableName=name, Item=item)


def _partition(client: "DynamoDBClient", name: str, partition: str) -> list[Mapping[str, Any]]:
    pages = client.get_paginator("query").paginate(
        TableName=name,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": partition}},
    )
    return [item for page in pages for item in page["Items"]]
