"""The base of the topic store's classes: reads by key and query, and conditions of writes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.domain.lifecycle.pruning import Retention
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import OverTable
from membrane.table.items import KEY_ATTRIBUTES, Item, Value, number, text
from membrane.table.keys import scope_place
from membrane.table.registrations import register
from membrane.table.writes import Refusal, Write, lost_race
from membrane.usecases.ports.surroundings import Clock


@dataclass(frozen=True, slots=True)
class TopicTable(OverTable):
    """One table, with large documents in `blobs`."""

    blobs: BlobStore
    now: Clock
    retention: Retention
    elapsed_s: Callable[[], float] = lambda: 0.0
    """Seconds of a monotonic clock."""
    registered: dict[str, float] = field(default_factory=dict)

    def items_of_topic(
        self, topic_id: str, prefix: str = "", limit: int | None = None
    ) -> Iterator[Item]:
        """The items of a topic's partition whose sort keys have the prefix."""
        values = {":pk": text(topic_keys.topic_partition(topic_id))}
        if not prefix:
            return self.query("pk = :pk", values, limit=limit)
        values[":prefix"] = text(prefix)
        return self.query("pk = :pk AND begins_with(sk, :prefix)", values, limit=limit)

    def register(self, scope: str) -> None:
        """A conditional put, unless the process did the same in the last KNOWN_S seconds."""
        item = {"pk": text(topic_keys.SCOPES), "sk": text(scope_place(scope))}
        register(self, put_new(item), scope, self.registered, self.elapsed_s)


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
