"""The template's table on any DynamoDB-compatible store, marked as created by the local stack."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from botocore.config import Config

from membrane.domain.language.json_text import JsonObject
from membrane.wiring import services as wiring
from membrane_local.refusals import StoreRefused
from membrane_local.template import Properties

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

CLIENT_CONFIG = wiring.CLIENT_CONFIG.merge(Config(read_timeout=60))
"""A store on a busy machine is slow, not lost: a repeated request would queue behind the first."""

_STRUCTURE = (
    "AttributeDefinitions",
    "KeySchema",
    "GlobalSecondaryIndexes",
    "VectorIndexes",
    "BillingMode",
)
"""The properties of a local table; encryption, backups and the like have no meaning here."""
_BATCH = 25
_MARK = {"pk": {"S": "local-stack"}, "sk": {"S": "mark"}}


class ForeignTableError(Exception):
    """The local stack did not create the table, and so must not empty the table."""


def ensure_table(client: "DynamoDBClient", name: str, properties: Properties) -> None:
    """Create the table where absent; raises StoreRefused for a table without vector indexes."""
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
    """The ARN of the table's stream; a table from before streams were used gets a stream now."""
    found = client.describe_table(TableName=name)["Table"].get("LatestStreamArn")
    if found is None:
        client.update_table(TableName=name, **_stream(properties))
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        found = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    return found


def _stream(properties: Properties) -> dict[str, Any]:
    """The stream with StreamEnabled, which CloudFormation implies and DynamoDB requires."""
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


def is_own_table(client: "DynamoDBClient", name: str) -> bool:
    return "Item" in client.get_item(TableName=name, Key=_MARK, ConsistentRead=True)


def items_with(client: "DynamoDBClient", name: str, attribute: str) -> Iterator[JsonObject]:
    pages = client.get_paginator("scan").paginate(
        TableName=name,
        ConsistentRead=True,
        ProjectionExpression="pk, sk, #wanted",
        FilterExpression="attribute_exists(#wanted)",
        ExpressionAttributeNames={"#wanted": attribute},
    )
    for page in pages:
        yield from page["Items"]


def empty_table(client: "DynamoDBClient", name: str, keep_partition: str) -> None:
    """Remove every item outside a partition; raises ForeignTableError for a foreign table."""
    if not is_own_table(client, name):
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
