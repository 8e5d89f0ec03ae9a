"""Queries over as many pages as there are."""

from collections.abc import Iterator

from membrane.adapters.dynamodb.table.attributes import Client, Item, Query
from membrane.adapters.dynamodb.table.failures import translated


def items_of(client: Client, request: Query) -> Iterator[Item]:
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
