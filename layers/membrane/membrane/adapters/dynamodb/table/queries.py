"""Queries: a page, or every item over all pages."""

from collections.abc import Iterator, Sequence

from membrane.adapters.dynamodb.table.attributes import Client, Item, Query
from membrane.adapters.dynamodb.table.failures import translating_errors


def page_of(client: Client, request: Query) -> tuple[Sequence[Item], Item | None]:
    """The items of one request, and the key behind which the next page begins; None = the end.

    Raises ResourceExhausted and Unavailable.
    """
    with translating_errors():
        page = client.query(**request)
    return page["Items"], page.get("LastEvaluatedKey")


def items_of(client: Client, request: Query, *, most_on_page: int | None = None) -> Iterator[Item]:
    """Every item of a Query, lazily, with one request a megabyte.

    With `most_on_page`, the `Limit` doubles from page to page up to the given number. Raises
    ResourceExhausted and Unavailable.
    """
    while True:
        items, last = page_of(client, request)
        yield from items
        if last is None:
            return
        request["ExclusiveStartKey"] = last
        if most_on_page is not None:
            request["Limit"] = min(2 * request["Limit"], most_on_page)
