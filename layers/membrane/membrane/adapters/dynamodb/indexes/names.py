"""The names of entities: an item per scope and first word, with a bucket per sensitivity level."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from membrane.domain.entities.names import terms_of_entity
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.names import first_word_of
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import MemoryRecord
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, items_at, page_of
from membrane.table.items import (
    Item,
    Query,
    Value,
    Write,
    as_read,
    change_attributes,
    lost_race,
    parse_text,
    read_text,
    text,
)
from membrane.usecases.ports.records import Buckets, NameBucket, NameChange, NamePlace

ITEMS_A_WORD = 16
"""Items of a Query for each word: an item of a usual name has about 130 bytes, and 4 KB are a read
unit, so the Query takes about half of the units that a BatchGetItem of the words takes.

A scope with at most so many first words costs no more than the Query. In a larger scope, the words
behind the last item are read by key as well: in all up to one and a half times the units of a
BatchGetItem.
"""


class DynamoNames(OverTable):
    """Names of entities over one table. May raise ResourceExhausted or Unavailable."""

    def buckets(
        self, places: Sequence[NamePlace], *, consistent: bool = True
    ) -> Mapping[NamePlace, Buckets]:
        """The stored buckets of distinct places; one BatchGetItem for 100 places."""
        by_key = {_ends_of(key): (place, key) for place in places if (key := _key_of(place))}
        keys = [key for _, key in by_key.values()]
        items = items_at(self.client, self.table, keys, consistent=consistent)
        return {
            place: buckets_in(item, place)
            for item in items
            for place, _ in (by_key[_ends_of(item)],)
        }

    def buckets_of_words(self, scope: str, words: Collection[str]) -> Mapping[NamePlace, Buckets]:
        """The stored buckets of many words of a scope, strongly consistent.

        One Query from the first name of the scope on. If the scope has more first words than the
        Query reads, one BatchGetItem for 100 of the remaining words.
        """
        sought = {table_keys.name_place(word): NamePlace(scope, word) for word in words if word}
        request: Query = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": text(table_keys.names_partition(scope))},
            "Limit": ITEMS_A_WORD * len(words),
        }
        items, last = page_of(self.client, request)
        found = {
            place: buckets_in(item, place)
            for item in items
            if (place := sought.get(read_text(item, "sk"))) is not None
        }
        if last is None:
            return found
        end = read_text(last, "sk").encode()  # DynamoDB orders texts by UTF-8 bytes
        behind = [place for key, place in sought.items() if key.encode() > end]
        return {**found, **self.buckets(behind)}

    def beginning_with(
        self, scope: str, prefix: str, after: str = ""
    ) -> Iterator[tuple[NamePlace, Buckets]]:
        """Places of the scope whose first word has the prefix, in the order of the words.

        With `after`, only words that sort after it; eventually consistent, read lazily. One Query a
        megabyte of names.
        """
        partition = table_keys.names_partition(scope)
        condition, values = "pk = :pk", {":pk": text(partition)}
        if prefix:
            condition = f"{condition} AND begins_with(sk, :prefix)"
            values[":prefix"] = text(table_keys.name_place(prefix))
        start = table_keys.primary_key(partition, table_keys.name_place(after)) if after else None
        for item in self.query(condition, values, eventually=True, after=start):
            place = NamePlace(scope, read_text(item, "sk"))
            yield place, buckets_in(item, place)

    def removals_of(self, record: MemoryRecord) -> list[Write]:
        """The writes that take away the names by which the record is found, at every level.

        One strongly consistent BatchGetItem for an entity; nothing for a record of another type.
        """
        if not isinstance(record.payload, EntityPayload):
            return []
        words = map(first_word_of, terms_of_entity(record.payload))
        stored = self.buckets([NamePlace(record.scope, word) for word in dict.fromkeys(words)])
        writes = (
            write_without({record.id}, buckets, _key_of(place)) for place, buckets in stored.items()
        )
        return [each for each in writes if each is not None]


def entities_in(item: Item) -> tuple[str, ...]:
    """The distinct entities that the names of an item lead to; raises CorruptItem."""
    buckets = buckets_in(item, NamePlace("", "")).values()
    return tuple(dict.fromkeys(each for held in buckets for each in held.entity_ids.values()))


def writes_of(changes: Sequence[NameChange]) -> list[Write]:
    """The writes of changes, under the names that were read, one for each place.

    The removal of the last names of a place takes the item along: the key has the first word.
    """
    by_place: dict[NamePlace, list[NameChange]] = {}
    for each in changes:
        by_place.setdefault(each.before.place, []).append(each)
    return [
        _write(
            _key_of(place),
            {
                each.before.sensitivity: (each.before.entity_ids, each.entity_ids)
                for each in several
            },
            is_last=all(each.is_last and not each.entity_ids for each in several),
        )
        for place, several in by_place.items()
    ]


def write_without(
    gone: Collection[str], buckets: Buckets, key: Mapping[str, Value]
) -> Write | None:
    """The write that takes the entities' names away at every level; None without any."""
    changes = {}
    for level, bucket in buckets.items():
        left = {term: each for term, each in bucket.entity_ids.items() if each not in gone}
        if len(left) < len(bucket.entity_ids):
            changes[level] = (bucket.entity_ids, left)
    others = buckets.keys() - changes.keys()
    is_last = not others and not any(left for _, left in changes.values())
    return _write(key, changes, is_last=is_last) if changes else None


def _write(
    key: Mapping[str, Value],
    changes: Mapping[Sensitivity, tuple[Mapping[str, str], Mapping[str, str]]],
    *,
    is_last: bool,
) -> Write:
    """The write of the names of levels, before and after; `is_last` removes the whole item."""
    read, left = (
        {
            _attribute(level): text(compact_json(dict(each[at])))
            for level, each in changes.items()
            if each[at]
        }
        for at in (0, 1)
    )
    if is_last:
        return Write("Delete", lost_race, key=key, **as_read(read, map(_attribute, Sensitivity)))
    return change_attributes(key, read, left)


def buckets_in(item: Item, place: NamePlace) -> Buckets:
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
