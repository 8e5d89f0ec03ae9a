"""Queries over as many pages as there are."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.table.attributes import Item
from membrane.adapters.dynamodb.table.failures import translated

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef


def items_of(client: "DynamoDBClient", request: "QueryInputTypeDef") -> Iterator[Item]:
    """Every item, one Query a megabyte, each made when it is come to.

    Raises ResourceExhausted and Unavailable.
    """
    while True:
        with translated():
            page = client.query(**request)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
