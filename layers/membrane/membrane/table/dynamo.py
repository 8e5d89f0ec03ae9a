"""The one port to DynamoDB: reads, queries, scans and commits."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection
from botocore.parsers import JSONParser, ResponseParserFactory

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.json_text import compact_json
from membrane.table.items import Client, Item, LostRace, Query, Value, Write, is_expired, read_text
from membrane.table.keys import primary_key

FAILED_CONDITION = "ConditionalCheckFailed"

_THROTTLED = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingError",
        "ThrottlingException",
        "ProvisionedThroughputExceeded",
    }
)
_UNAVAILABLE = frozenset(
    {
        "InternalServerError",
        "ServiceUnavailable",
        "TransactionInProgressException",
    }
)
_SERVER_FAILURE = 500
_INDEX_NOT_READY = (
    "Cannot search backfilling vector index",
    "The table does not have the specified index",
)
"""Refusals by SearchVectors of an index under construction or not yet known to the endpoint.

Both have the code ValidationException (DynamoDB's guide, "Troubleshooting vector indexes").
"""

_LOST = frozenset({"TransactionConflict", "TransactionConflictException"})


THROTTLED = "Throttled"
"""The metric of attempts that DynamoDB throttled, also before a successful retry."""


def measure_throttles(client: Client, measure: Callable[[str, float, str], None]) -> None:
    """Measure every throttled attempt of the client from now on."""

    def count_throttles(response: tuple[Any, Mapping[str, Any]] | None = None, **_: object) -> None:
        if response is None or "Error" not in response[1]:
            return
        refusal = response[1]
        reasons = [each.get("Code") for each in refusal.get("CancellationReasons", ())]
        if not _THROTTLED.isdisjoint((refusal["Error"].get("Code"), *reasons)):
            measure(THROTTLED, 1, "Count")

    client.meta.events.register("needs-retry.dynamodb", count_throttles)


@contextmanager
def translating_errors() -> Iterator[None]:
    """Raise ResourceExhausted, Unavailable or LostRace for errors of DynamoDB."""
    try:
        yield
    except (NoConnection, HTTPClientError) as error:
        raise Unavailable("the store did not answer") from error
    except ClientError as error:
        if error.response["ResponseMetadata"].get("HTTPStatusCode", 0) >= _SERVER_FAILURE:
            raise Unavailable("the store did not answer") from error
        for code in (error.response["Error"]["Code"], *cancellation_codes(error)):
            if code in _THROTTLED:
                raise ResourceExhausted("the store is busy; try again later") from error
            if code in _UNAVAILABLE:
                raise Unavailable("the store did not answer") from error
            if code in _LOST:
                raise LostRace from error
        raise


@contextmanager
def waiting_for_index() -> Iterator[None]:
    """Raise Unavailable for a vector index that cannot be searched yet."""
    try:
        yield
    except ClientError as error:
        refusal = error.response["Error"]
        is_refused = refusal["Code"] == "ValidationException"
        if is_refused and refusal["Message"].startswith(_INDEX_NOT_READY):
            raise Unavailable(
                "the vector index is still being built; try again in a few minutes"
            ) from error
        raise


def cancellation_codes(error: ClientError) -> list[str]:
    """The codes of a cancelled transaction, by position; empty for any other failure."""
    return [reason.get("Code", "None") for reason in error.response.get("CancellationReasons", [])]


def page_of(client: Client, request: Query) -> tuple[Sequence[Item], Item | None]:
    """The items of a request, and the key behind them; None = the end."""
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


def scan_page(
    client: Client, table: str, after: str | None, **wanted: Any
) -> tuple[Sequence[Item], str | None]:
    """The items after a place, and the next start; None after the last page."""
    if after is not None:
        wanted["ExclusiveStartKey"] = key_at(after)
    with translating_errors():
        page = client.scan(TableName=table, **wanted)
    last = page.get("LastEvaluatedKey")
    return page["Items"], None if last is None else place_of(last)


def place_of(item: Item) -> str:
    """The key of the item as text; `key_at` is the inverse."""
    return compact_json([read_text(item, "pk"), read_text(item, "sk")])


def key_at(place: str) -> dict[str, Value]:
    return primary_key(*json.loads(place))


MAX_KEYS = 100
"""Items of a BatchGetItem at most (AWS, `BatchGetItem`)."""


def item_at(client: Client, table: str, key: Mapping[str, Value]) -> Item | None:
    """One strongly consistent GetItem; raises ResourceExhausted and Unavailable."""
    with translating_errors():
        return client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def items_at(
    client: Client,
    table: str,
    keys: Sequence[Mapping[str, Value]],
    *,
    consistent: bool,
    attributes: Sequence[str] = (),
) -> list[Item]:
    """The existing items among the keys, unordered; whole, or only the named attributes.

    One BatchGetItem for 100 keys or 16 MB. A key must not repeat. Raises ResourceExhausted and
    Unavailable.
    """
    found: list[Item] = []
    for start in range(0, len(keys), MAX_KEYS):
        request = {"Keys": keys[start : start + MAX_KEYS], "ConsistentRead": consistent}
        pending: Any = {table: request | projection(attributes)}
        while pending:  # ends: DynamoDB answers at least one item or fails
            with translating_errors():
                reply = client.batch_get_item(RequestItems=pending)
            found += reply["Responses"].get(table, [])
            pending = reply.get("UnprocessedKeys")
    return found


def projection(attributes: Sequence[str]) -> dict[str, Any]:
    """The request parameters that select attributes, safe from DynamoDB's reserved words."""
    if not attributes:
        return {}
    names = {f"#{position}": name for position, name in enumerate(attributes)}
    return {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}


@dataclass(frozen=True, slots=True)
class OverTable:
    """A store over one table."""

    client: Client
    table: str

    def item_at(self, key: Mapping[str, Value]) -> Item | None:
        """One strongly consistent GetItem; raises ResourceExhausted and Unavailable."""
        return item_at(self.client, self.table, key)

    def lasting_item_at(self, key: Mapping[str, Value], now_s: float) -> Item | None:
        """One strongly consistent GetItem; None for an expired item, which TTL removes late."""
        item = self.item_at(key)
        return None if item is None or is_expired(item, now_s) else item

    def query(
        self,
        condition: str,
        values: Mapping[str, Value],
        *,
        index: str = "",
        eventually: bool = False,
        limit: int | None = None,
        most_on_page: int | None = None,
        after: Mapping[str, Value] | None = None,
        only: str = "",
        shown: str = "",
        backwards: bool = False,
    ) -> Iterator[Item]:
        """One Query a page of `limit` items or a megabyte; `most_on_page` as in `items_of`.

        Strongly consistent without an index, unless `eventually`. `only` is the filter expression,
        `shown` the projection, `after` the key to continue from.
        """
        request: Query = {
            "TableName": self.table,
            "ConsistentRead": not (index or eventually),
            "ScanIndexForward": not backwards,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
        }
        if index:
            request["IndexName"] = index
        if limit is not None:
            request["Limit"] = limit
        if after is not None:
            request["ExclusiveStartKey"] = after
        if only:
            request["FilterExpression"] = only
        if shown:
            request["ProjectionExpression"] = shown
        return items_of(self.client, request, most_on_page=most_on_page)

    def commit_all(self, *writes: Write) -> None:
        """All of the writes or none; raises the errors of `commit`."""
        commit(self.client, self.table, writes)

    def is_done(self, write: Write) -> bool:
        """Do the write alone; False without a change if the condition fails."""
        return self.refusing_item(write) is None

    def refusing_item(self, write: Write) -> Item | None:
        """Do the write alone; None, or the item (empty if absent) over which the condition fails.

        Raises LostRace on a conflict with a concurrent transaction alone.
        """
        try:
            self.commit_all(write._replace(refusal=_Refused))
        except _Refused as refused:
            return refused.existing
        return None


class _Refused(Exception):
    """The condition of a write fails over the item."""

    def __init__(self, existing: Item) -> None:
        super().__init__()
        self.existing = existing


def commit(client: Client, table: str, writes: Sequence[Write]) -> None:
    """Do all of the writes or none: a single write alone, several writes as one transaction.

    Raises the refusal of the first write whose condition fails, LostRace on a conflict with a
    concurrent transaction, ResourceExhausted, Unavailable.
    """
    with translating_errors():
        try:
            if len(writes) == 1:
                _write_alone(client, table, writes[0])
            else:
                client.transact_write_items(
                    TransactItems=[{write.action: write.request(table)} for write in writes]  # type: ignore[misc]  # the key is one of four words
                )
        except client.exceptions.ConditionalCheckFailedException as error:
            raise writes[0].refusal(existing_item(error.response)) from error
        except client.exceptions.TransactionCanceledException as error:
            _raise_refusal(writes, error)
            raise


def _write_alone(client: Client, table: str, write: Write) -> None:
    request = write.request(table)
    match write.action:
        case "Put":
            client.put_item(**request)
        case "Delete":
            client.delete_item(**request)
        case _:
            client.update_item(**request)


def _raise_refusal(writes: Sequence[Write], error: ClientError) -> None:
    """Cancellation reasons come in the order of the writes."""
    reasons = error.response.get("CancellationReasons", [])
    for write, code, reason in zip(writes, cancellation_codes(error), reasons, strict=True):
        if code == FAILED_CONDITION:
            raise write.refusal(existing_item(reason)) from error


def existing_item(answer: Any) -> Item:
    """The existing item, as returned by ReturnValuesOnConditionCheckFailure."""
    found: Item = answer.get("Item", {})
    return found


_AS_IN_JSON = frozenset({"S", "N", "BOOL", "NULL", "SS", "NS"})
"""The types whose values botocore takes over from JSON unchanged."""


class ItemParsers(ResponseParserFactory):
    """Makes the parsers of a session, which read items without botocore's walk over their types.

    For each attribute botocore looks for each of the ten types, which takes a quarter of the CPU of
    a retrieval. Most attributes are texts and numbers, and stand in the reply as botocore returns
    them.
    """

    def create_parser(self, protocol_name: str) -> Any:
        return _ItemParser() if protocol_name == "json" else super().create_parser(protocol_name)


class _ItemParser(JSONParser):
    """Reads items; a botocore with other names for the methods reads items as before."""

    def _handle_map(self, shape: Any, value: Any) -> Any:
        attribute = shape.value
        if attribute.name != "AttributeValue":
            return super()._handle_map(shape, value)  # type: ignore[misc] # not in the stubs
        parse = self._parse_shape  # type: ignore[attr-defined] # not in the stubs
        return {
            name: each if _is_as_in_json(each) else parse(attribute, each)
            for name, each in value.items()
        }


def _is_as_in_json(value: dict[str, Any]) -> bool:
    return len(value) == 1 and not _AS_IN_JSON.isdisjoint(value)
