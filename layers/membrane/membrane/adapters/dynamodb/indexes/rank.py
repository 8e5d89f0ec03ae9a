"""The index of records by rank, with the attributes that a listing or count needs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from membrane.adapters.dynamodb.indexes.decay_classes import RANK, ClassRegistry
from membrane.domain.language.vocabulary import DeletionPolicy, Sensitivity
from membrane.domain.lifecycle.pruning import RANK_OF_RETRACTED, Ranked
from membrane.domain.records.stored import Removal
from membrane.domain.salience.function import Anchor
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, translating_errors
from membrane.table.items import Item, Query, Value, number, read_number, read_text, read_word, text
from membrane.usecases.ports.indexes import (
    Position,
    RankEntry,
    RankPartition,
    Ranks,
    Segment,
    SegmentPage,
)

READ = (
    "pk",
    "salience",
    "anchored_at",
    "created_at",
    "deletion_policy",
    "conf",
    "performance",
)
"""The attributes to read of an entry."""

_PLACED = "pk, rank_sk, salience, anchored_at, created_at, sensitivity"


@dataclass(frozen=True, slots=True)
class DynamoRanks(OverTable):
    """The order of salience over one table, with `shards` shards to a decay class.

    Eventually consistent. Any method may raise ResourceExhausted or Unavailable.
    """

    classes: ClassRegistry
    shards: int

    def partitions(self, scope: str) -> Sequence[RankPartition]:
        """The partitions that may hold records of a scope under any past setting; "" = unscoped.

        Two GetItems.
        """
        return [
            RankPartition(scope, memory_type, decay_class, shard)
            for memory_type, in_use in self.classes.in_use(scope).items()
            for decay_class in sorted(in_use)
            for shard in range(self.shards)
        ]

    def keep_classes(self) -> None:
        """Store the decay classes of the present settings, for `partitions` after a change.

        One GetItem at the first call, plus an UpdateItem after a change of the settings.
        """
        self.classes.keep_implied()

    def read_entries(
        self,
        partition: RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> Ranks:
        """The next `entries` entries, fewer at the end, with the records up to the ceiling.

        Retracted records, which do not fade, are included with `retracted` only.
        """
        request = self._visible_in(partition, ceiling, retracted=retracted)
        request["ProjectionExpression"] = ", ".join(READ)
        return self._collect(request, entries, after)

    def count(
        self,
        partition: RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> Ranks:
        """The numbers of `read_entries`, without the records."""
        request = self._visible_in(partition, ceiling, retracted=retracted)
        request["Select"] = "COUNT"
        return self._collect(request, entries, after)

    def segment(
        self, segment: Segment, ceiling: Sensitivity, items: int, after: Any = None
    ) -> SegmentPage:
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
        return SegmentPage(page["ScannedCount"], records, page.get("LastEvaluatedKey"))

    def top(
        self, partition: RankPartition, entries: int, after: Position | None = None
    ) -> Sequence[RankEntry]:
        """The next `entries` entries of any sensitivity, the highest rank first; fewer at the end.

        The position `after` need not match an entry. A Query a megabyte, whatever the partition
        holds before and after the position. Entries of equal rank come in the order of the index.
        """
        key = text(_key_of(partition))
        condition, values = "rank_pk = :pk", {":pk": key}
        if after is not None:
            condition, values[":rank"] = f"{condition} AND rank_sk <= :rank", number(after.rank)
        start = None
        if after is not None and after.record_id:
            own = table_keys.own_key(after.record_id)
            start = {**own, "rank_pk": key, "rank_sk": number(after.rank)}
        found = self.query(
            condition, values, index=RANK, limit=entries, after=start, shown=_PLACED, backwards=True
        )
        return list(map(_rank_entry, islice(found, entries)))

    def removed_records(
        self, scope: str, removal: Removal, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """Ids of removed records of a scope with the removal instants in seconds since 1970.

        The last removed first; `before_s` is the latest removal instant to include. One Query a
        megabyte.
        """
        condition = "rank_pk = :pk"
        values = {":pk": text(table_keys.removed_partition(scope, removal))}
        if before_s is not None:
            condition, values[":before"] = f"{condition} AND rank_sk <= :before", number(before_s)
        found = self.query(
            condition, values, index=RANK, limit=entries, shown="pk, rank_sk", backwards=True
        )
        return [
            (table_keys.record_id_of(item), read_number(item, "rank_sk"))
            for item in islice(found, entries)
        ]

    def _collect(self, request: Query, entries: int, after: Any) -> Ranks:
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
        return Ranks(seen, visible, records, after)

    def _visible_in(
        self, partition: RankPartition, ceiling: Sensitivity, *, retracted: bool
    ) -> Query:
        levels = _levels(ceiling)
        lowest = ">=" if retracted else ">"
        return {
            "TableName": self.table,
            "IndexName": RANK,
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


def _key_of(partition: RankPartition) -> str:
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


def _rank_entry(entry: Item) -> RankEntry:
    return RankEntry(
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
