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
from membrane.table.items import Item, Query, Value, parse_text, read_text, text
from membrane.table.writes import Write, lost_race
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


def write_of(change: NameChange) -> Write:
    """The write of a change, under the names that were read.

    The removal of the last names of a place takes the item along: the key has the first word.
    """
    level, before = change.before.sensitivity, change.before.entity_ids
    is_last = change.is_last and not change.entity_ids
    key = _key_of(change.before.place)
    return _write(key, {level: (before, change.entity_ids)}, is_last=is_last)


def writes_of(changes: Sequence[NameChange]) -> list[Write]:
    """The writes of changes, one for each place: a transaction writes an item once."""
    by_place: dict[NamePlace, list[NameChange]] = {}
    for each in changes:
        by_place.setdefault(each.before.place, []).append(each)
    return [
        write_of(several[0]) if len(several) == 1 else _write_of_levels(place, several)
        for place, several in by_place.items()
    ]


def _write_of_levels(place: NamePlace, changes: Sequence[NameChange]) -> Write:
    """The write of changes of several levels, of which one at least leaves names."""
    levels = {
        each.before.sensitivity: (each.before.entity_ids, each.entity_ids) for each in changes
    }
    return _write(_key_of(place), levels, is_last=False)


def write_without(
    gone: Collection[str], buckets: Buckets, key: Mapping[str, Value]
) -> Write | None:
    """The write that takes away the names of entities at every level of a place, as read.

    None if no name leads to any of the entities.
    """
    changes = {
        level: (bucket.entity_ids, left)
        for level, bucket in buckets.items()
        if len(left := _without(gone, bucket)) < len(bucket.entity_ids)
    }
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
    conditions, sets, removes, values = list[str](), list[str](), list[str](), dict[str, Value]()
    for level, (before, after) in changes.items():
        if before:
            conditions.append(f"#{level} = :{level}_before")
            values[f":{level}_before"] = _text_of(before)
        else:
            conditions.append(f"attribute_not_exists(#{level})")
        if after:
            sets.append(f"#{level} = :{level}_after")
            values[f":{level}_after"] = _text_of(after)
        else:
            removes.append(f"#{level}")
    levels = [*Sensitivity] if is_last else [*changes]
    others = (each for each in levels if each not in changes)
    conditions += [f"attribute_not_exists(#{each})" for each in others]
    update = [f"SET {', '.join(sets)}"] if sets else []
    update += [f"REMOVE {', '.join(removes)}"] if removes else []
    return Write(
        "Delete" if is_last else "Update",
        lost_race,
        " AND ".join(conditions),
        key=key,
        update="" if is_last else " ".join(update),
        names={f"#{each}": _attribute(each) for each in levels},
        values=values,
    )


def _without(gone: Collection[str], bucket: NameBucket) -> Mapping[str, str]:
    return {term: each for term, each in bucket.entity_ids.items() if each not in gone}


def _text_of(entity_ids: Mapping[str, str]) -> Value:
    return text(compact_json(dict(entity_ids)))


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
