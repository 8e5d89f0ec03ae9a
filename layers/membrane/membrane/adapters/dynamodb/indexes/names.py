"""The names of entities: an item per scope and first word, with a bucket per sensitivity level."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    Client,
    Item,
    Query,
    Value,
    read_text,
    text,
)
from membrane.adapters.dynamodb.table.batches import items_at
from membrane.adapters.dynamodb.table.queries import items_of
from membrane.adapters.dynamodb.table.texts import parse_text
from membrane.adapters.dynamodb.table.writes import Write, lost_race
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.usecases.ports.names import Buckets, NameBucket, NameChange, NamePlace


@dataclass(frozen=True, slots=True)
class DynamoNames:
    """The EntityNames over one table."""

    client: Client
    table: str

    def buckets(
        self, places: Sequence[NamePlace], *, consistent: bool = True
    ) -> Mapping[NamePlace, Buckets]:
        """One BatchGetItem for 100 places."""
        by_key = {_ends_of(key): (place, key) for place in places if (key := _key_of(place))}
        keys = [key for _, key in by_key.values()]
        items = items_at(self.client, self.table, keys, consistent=consistent)
        return {
            place: _buckets_in(item, place)
            for item in items
            for place, _ in (by_key[_ends_of(item)],)
        }

    def beginning_with(
        self, scope: str, prefix: str, after: str = ""
    ) -> Iterator[tuple[NamePlace, Buckets]]:
        """One Query a megabyte of names."""
        partition = table_keys.names_partition(scope)
        condition, values = "pk = :pk", {":pk": text(partition)}
        if prefix:
            condition = f"{condition} AND begins_with(sk, :prefix)"
            values[":prefix"] = text(table_keys.name_place(prefix))
        request: Query = {
            "TableName": self.table,
            "ConsistentRead": False,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
        }
        if after:
            request["ExclusiveStartKey"] = table_keys.primary_key(partition, after)
        for item in items_of(self.client, request):
            place = NamePlace(scope, read_text(item, "sk"))
            yield place, _buckets_in(item, place)


def write_of(change: NameChange) -> Write:
    """The write of a change, under the names that were read.

    The removal of the last names of a place takes the item along: the key has the first word.
    """
    level, before = change.before.sensitivity, change.before.entity_ids
    levels, condition, values = [level], f"attribute_not_exists(#{level})", dict[str, Value]()
    if before:
        condition, values = f"#{level} = :before", {":before": _text_of(before)}
    if change.entity_ids:
        update = f"SET #{level} = :after"
        values[":after"] = _text_of(change.entity_ids)
    elif change.is_last:
        update, levels = "", [*Sensitivity]
        others = (f"attribute_not_exists(#{each})" for each in levels if each is not level)
        condition = " AND ".join([condition, *others])
    else:
        update = f"REMOVE #{level}"
    return Write(
        "Update" if update else "Delete",
        lost_race,
        condition,
        key=_key_of(change.before.place),
        update=update,
        names={f"#{each}": _attribute(each) for each in levels},
        values=values,
    )


def _text_of(entity_ids: Mapping[str, str]) -> Value:
    return text(compact_json(dict(entity_ids)))


def _buckets_in(item: Item, place: NamePlace) -> Buckets:
    """The buckets of an item; raises CorruptItem for a damaged item."""
    return {
        level: NameBucket(place, level, parse_text(item, name, read_text(item, name), dict))
        for level in Sensitivity
        if (name := _attribute(level)) in item
    }


def _attribute(level: Sensitivity) -> str:
    return f"names_{level}"


def _key_of(place: NamePlace) -> dict[str, Value]:
    partition = table_keys.names_partition(place.scope)
    return table_keys.primary_key(partition, table_keys.name_place(place.word))


def _ends_of(item: Item) -> tuple[str, str]:
    return read_text(item, "pk"), read_text(item, "sk")
