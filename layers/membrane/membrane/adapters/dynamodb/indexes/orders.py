"""The orders of records: by rank, by the instant at which they are due, and by natural key."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
from membrane.domain.language.vocabulary import DeletionPolicy, Sensitivity
from membrane.domain.lifecycle.pruning import RANK_OF_RETRACTED, Ranked
from membrane.domain.records.stored import Removal
from membrane.domain.salience.function import Anchor
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, translating_errors
from membrane.table.index import DUE, NATURAL, RANK, touch
from membrane.table.items import (
    Item,
    Query,
    Value,
    binary,
    number,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)
from membrane.usecases.ports import indexes

Places = Sequence[tuple[str, float]]
"""Ids of records with instants in seconds since 1970, the newest first."""

READ = ("pk", "salience", "anchored_at", "created_at", "deletion_policy", "conf", "performance")
"""The attributes to read of an entry of the rank index."""

_PLACED = "pk, rank_sk, salience, anchored_at, created_at, sensitivity"


@dataclass(frozen=True, slots=True)
class DynamoDue(OverTable):
    """The order of due times over one table; eventually consistent.

    Any method may raise ResourceExhausted or Unavailable.
    """

    shards: int

    def due(self, shard: int, by_s: int) -> Iterator[indexes.Due]:
        """Entries due at `by_s` or earlier, the earliest first; pages are read on demand.

        A Query a megabyte; a single Query if nothing is due, however large the table is.
        """
        partition = text(table_keys.due_partition(shard))
        for item in DUE.read(self, partition, until=number(by_s), backwards=False):
            yield indexes.Due(table_keys.record_id_of(item), read_integer(item, "due_sk"))

    def put_off(self, due: indexes.Due, until_s: int | None) -> None:
        """Move the entry to `until_s`, or remove the entry; do nothing if the entry has changed."""
        key, read = table_keys.own_key(due.record_id), {":read": number(due.due_s)}
        if until_s is None:
            touch(self, key, "due_sk = :read", read, removes=("due_pk", "due_sk"))
        else:
            touch(self, key, "due_sk = :read", read, sets={"due_sk": number(until_s)})


class DynamoNatural(OverTable):
    """The order of records of a natural key over one table; eventually consistent.

    A natural key is a digest of a scope, a memory type and e.g. a subject and a predicate. Any
    method may raise ResourceExhausted or Unavailable.
    """

    def newest(self, natural_key: bytes, entries: int, before_s: float | None = None) -> Places:
        """Ids and creation instants of the newest records.

        `before_s` is the latest creation instant to include. A deleted or pruned record is among
        the records as long as the record can be restored. One Query a megabyte, however many
        records have the key.
        """
        until = None if before_s is None else number(before_s)
        found = NATURAL.read(self, binary(natural_key), entries, until=until)
        return [(table_keys.record_id_of(item), read_number(item, "natural_sk")) for item in found]


@dataclass(frozen=True, slots=True)
class DynamoRanks(OverTable):
    """The order of salience over one table, with `shards` shards to a decay class.

    Eventually consistent. Any method may raise ResourceExhausted or Unavailable.
    """

    classes: ClassRegistry
    shards: int

    def partitions(self, scope: str) -> Sequence[indexes.RankPartition]:
        """The partitions of a scope's records under any past setting. Two GetItems."""
        return [
            indexes.RankPartition(scope, memory_type, decay_class, shard)
            for memory_type, in_use in self.classes.in_use(scope).items()
            for decay_class in sorted(in_use)
            for shard in range(self.shards)
        ]

    def keep_classes(self) -> None:
        """Store the decay classes of the present settings, for `partitions` after a change.

        One GetItem at the first call, plus an UpdateItem after a change of the settings.
        """
        self.classes.keep_implied()

    def entries_in(
        self,
        partition: indexes.RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> indexes.Ranks:
        """The next `entries` entries, fewer at the end, with the records up to the ceiling.

        Retracted records, which do not fade, are included with `retracted` only.
        """
        request = self._visible_in(partition, ceiling, retracted=retracted)
        request["ProjectionExpression"] = ", ".join(READ)
        return self._collect(request, entries, after)

    def count(
        self,
        partition: indexes.RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> indexes.Ranks:
        """The numbers of `entries_in`, without the records."""
        request = self._visible_in(partition, ceiling, retracted=retracted)
        request["Select"] = "COUNT"
        return self._collect(request, entries, after)

    def segment(
        self, segment: indexes.Segment, ceiling: Sensitivity, items: int, after: Any = None
    ) -> indexes.SegmentPage:
        """The records up to the ceiling among the next `items` table items of a segment.

        One Scan of the table, whose partition key DynamoDB hashes: the record's id. A segment of
        the index would hold whole scopes, and be no sample of the rest.
        """
        levels = _levels(ceiling)
        request: dict[str, Any] = {
            "TableName": self.table,
            "ConsistentRead": False,
            "Select": "SPECIFIC_ATTRIBUTES",  # IAM can restrict a role to named attributes
            "Limit": items,
            "Segment": segment.number,
            "TotalSegments": segment.of,
            "FilterExpression": f"begins_with(rank_pk, :rank) AND {_among(levels)}",
            "ProjectionExpression": ", ".join((*READ, "rank_pk")),
            "ExpressionAttributeValues": {":rank": text(table_keys.RANKED), **levels},
        }
        if after is not None:
            request["ExclusiveStartKey"] = after
        with translating_errors():
            page = self.client.scan(**request)
        records = [
            (*table_keys.class_of_rank(read_text(item, "rank_pk")), _ranked_entry(item))
            for item in page["Items"]
        ]
        return indexes.SegmentPage(page["ScannedCount"], records, page.get("LastEvaluatedKey"))

    def top(
        self, partition: indexes.RankPartition, entries: int, after: indexes.Position | None = None
    ) -> Sequence[indexes.RankEntry]:
        """The next `entries` entries of any sensitivity, the highest rank first; fewer at the end.

        The position `after` need not match an entry. A Query a megabyte, whatever the partition
        holds before and after the position. Entries of equal rank come in the order of the index.
        """
        key, until, start = text(_key_of(partition)), None, None
        if after is not None:
            until = number(after.rank)
            if after.record_id:
                start = table_keys.own_key(after.record_id) | RANK.entry(key, until)
        found = RANK.read(self, key, entries, until=until, after=start, shown=_PLACED)
        return list(map(_rank_entry, found))

    def removed_records(
        self, scope: str, removal: Removal, entries: int, before_s: float | None = None
    ) -> Places:
        """Ids of removed records of a scope with the removal instants, the last removed first.

        `before_s` is the latest removal instant to include. One Query a megabyte.
        """
        partition = text(table_keys.removed_partition(scope, removal))
        until = None if before_s is None else number(before_s)
        found = RANK.read(self, partition, entries, until=until, shown="pk, rank_sk")
        return [(table_keys.record_id_of(item), read_number(item, "rank_sk")) for item in found]

    def _collect(self, request: Query, entries: int, after: Any) -> indexes.Ranks:
        seen = visible = 0
        records: list[Ranked] = []
        while seen < entries:
            request["Limit"] = entries - seen
            if after is not None:
                request["ExclusiveStartKey"] = after
            with translating_errors():
                page = self.client.query(**request)
            seen += page["ScannedCount"]
            visible += page["Count"]
            records += map(_ranked_entry, page.get("Items", ()))
            after = page.get("LastEvaluatedKey")
            if after is None:
                break
        return indexes.Ranks(seen, visible, records, after)

    def _visible_in(
        self, partition: indexes.RankPartition, ceiling: Sensitivity, *, retracted: bool
    ) -> Query:
        levels = _levels(ceiling)
        lowest = ">=" if retracted else ">"
        return {
            "TableName": self.table,
            "IndexName": RANK.name,
            "ConsistentRead": False,
            "KeyConditionExpression": f"rank_pk = :pk AND rank_sk {lowest} :retracted",
            "FilterExpression": _among(levels),
            "ExpressionAttributeValues": {
                ":pk": text(_key_of(partition)),
                ":retracted": number(RANK_OF_RETRACTED),
                **levels,
            },
        }


def _levels(ceiling: Sensitivity) -> dict[str, Value]:
    return {f":{word}": text(word) for word in Sensitivity if word.level <= ceiling.level}


def _among(levels: Iterable[str]) -> str:
    return f"sensitivity IN ({', '.join(levels)})"


def _key_of(partition: indexes.RankPartition) -> str:
    return table_keys.rank_partition(
        partition.scope, partition.type, partition.decay_class, partition.shard
    )


def _ranked_entry(entry: Item) -> Ranked:
    return Ranked(
        table_keys.record_id_of(entry),
        _anchor(entry),
        read_word(entry, "deletion_policy", DeletionPolicy),
        read_number(entry, "conf"),
        read_number(entry, "performance") if "performance" in entry else None,
    )


def _rank_entry(entry: Item) -> indexes.RankEntry:
    return indexes.RankEntry(
        table_keys.record_id_of(entry),
        read_number(entry, "rank_sk"),
        _anchor(entry),
        read_word(entry, "sensitivity", Sensitivity),
    )


def _anchor(entry: Item) -> Anchor:
    return Anchor(
        salience=read_number(entry, "salience"),
        at_s=read_number(entry, "anchored_at"),
        born_s=read_number(entry, "created_at"),
    )
