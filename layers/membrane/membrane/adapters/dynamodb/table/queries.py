"""Queries over all pages."""

from collections.abc import Iterator

from membrane.adapters.dynamodb.table.attributes import Client, Item, Query
from membrane.adapters.dynamodb.table.failures import translating_errors


def items_of(client: Client, request: Query) -> Iterator[Item]:
    """Every item of a Query, lazily, with one request a megabyte.

    Raises ResourceExhausted and Unavailable.
    """
    while True:
        with translating_errors():
            page = client.query(**request)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
