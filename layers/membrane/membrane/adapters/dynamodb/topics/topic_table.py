"""The base of the topic store's classes: reads by key and query, and conditions of writes."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from membrane.adapters.dynamodb.table.attributes import KEY_ATTRIBUTES, Item, Value, number, text
from membrane.adapters.dynamodb.table.failures import translating_errors
from membrane.adapters.dynamodb.table.keys import scope_place
from membrane.adapters.dynamodb.table.queries import items_of
from membrane.adapters.dynamodb.table.registrations import is_still_known
from membrane.adapters.dynamodb.table.writes import Refusal, Write, commit, lost_race
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.domain.lifecycle.pruning import Retention
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.surroundings import Clock

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef


@dataclass(frozen=True, slots=True)
class TopicTable:
    """One table, with large documents in `blobs`."""

    client: "DynamoDBClient"
    table: str
    blobs: BlobStore
    now: Clock
    retention: Retention
    elapsed_s: Callable[[], float] = lambda: 0.0
    """Seconds of a monotonic clock."""
    registered: dict[str, float] = field(default_factory=dict)
    """When the process registered a scope, by `elapsed_s`."""

    def item_at(self, key: Mapping[str, Value]) -> Item | None:
        """One strongly consistent GetItem."""
        with translating_errors():
            return self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True).get(
                "Item"
            )

    def query(
        self,
        condition: str,
        values: Mapping[str, Value],
        *,
        index: str = "",
        limit: int | None = None,
        after: Mapping[str, Value] | None = None,
        only: str = "",
        backwards: bool = False,
    ) -> Iterator[Item]:
        """One Query a page of `limit` items or a megabyte; strongly consistent without an index.

        `only` is the filter expression, `after` the key to continue from.
        """
        request: QueryInputTypeDef = {
            "TableName": self.table,
            "ConsistentRead": not index,
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
        return items_of(self.client, request)

    def items_of_topic(
        self, topic_id: str, prefix: str = "", limit: int | None = None
    ) -> Iterator[Item]:
        """The items of a topic's partition whose sort keys have the prefix."""
        values = {":pk": text(topic_keys.topic_partition(topic_id))}
        if not prefix:
            return self.query("pk = :pk", values, limit=limit)
        values[":prefix"] = text(prefix)
        return self.query("pk = :pk AND begins_with(sk, :prefix)", values, limit=limit)

    def commit_all(self, *writes: Write) -> None:
        """All of the writes or none; raises the errors of `writes.commit`."""
        commit(self.client, self.table, writes)

    def register(self, scope: str) -> None:
        """A conditional put, unless the process did the same in the last KNOWN_S seconds."""
        if is_still_known(self.registered.get(scope), self.elapsed_s()):
            return
        item = {"pk": text(topic_keys.SCOPES), "sk": text(scope_place(scope))}
        with suppress(LostRace):
            self.commit_all(put_new(item))
        self.registered[scope] = self.elapsed_s()


def put_new(item: Mapping[str, Value], refusal: Refusal = lost_race) -> Write:
    """Put an item in an empty place."""
    return Write("Put", refusal, "attribute_not_exists(pk)", item=item)


def put_next(item: Mapping[str, Value], version: int) -> Write:
    """Put an item over the given version; version 0 = the place is empty."""
    return Write("Put", lost_race, item=item, **of_version(version)) if version else put_new(item)


def of_version(version: int) -> dict[str, Any]:
    """The parameters of a Write that requires the item to have the version."""
    return {
        "condition": "#version = :version",
        "names": {"#version": "version"},
        "values": {":version": number(version)},
    }


def of_item(item: Item) -> dict[str, Any]:
    """The parameters of a Write that requires the item as read."""
    own = sorted(item.keys() - {*KEY_ATTRIBUTES})
    return {
        "condition": " AND ".join(f"#{name} = :{name}" for name in own),
        "names": {f"#{name}": name for name in own},
        "values": {f":{name}": item[name] for name in own},
    }
