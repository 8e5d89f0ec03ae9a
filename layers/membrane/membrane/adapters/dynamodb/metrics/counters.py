"""Counters in DynamoDB: tallies of records, and cells in a partition for each generation.

A cell's sort key begins with the place that it belongs to, a scope or all of them together, so that
a Query from the last key back has what is most worth reading first, see `domain.metrics.cells`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    KEY_ATTRIBUTES,
    Item,
    Value,
    number,
    read_integer,
    read_text,
    text,
)
from membrane.adapters.dynamodb.table.batches import items_at
from membrane.adapters.dynamodb.table.failures import translated
from membrane.adapters.dynamodb.table.progress import keep_at, kept_at
from membrane.adapters.dynamodb.table.queries import items_of
from membrane.adapters.dynamodb.table.texts import parsed
from membrane.adapters.dynamodb.table.writes import MAX_TOGETHER, Write, commit, lost
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.metrics.amounts import Amounts, Cells, drift_between
from membrane.domain.metrics.cells import GROWTH, GrowthCell, cell_named
from membrane.domain.metrics.estimates import DAY_S
from membrane.domain.metrics.tallies import Generations, Recount, Tally, moves_of
from membrane.usecases.ports.catalogue import Kept
from membrane.usecases.ports.counters import CellPage
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Clock

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef

MARKER_PERIOD = timedelta(days=3)
"""For which a tally stays that counts as nothing: longer than the stream tells of its record."""

GROWTH_STAYS_S = 2 * DAY_S
"""Twice as long as anybody looks at it."""

CELLS = 500
"""That are compared or removed in one go."""

TRIES = 8
"""Of a reading of two items that transactions have just now."""


@dataclass(frozen=True, slots=True)
class DynamoCounters:
    """The Counters over one table."""

    client: "DynamoDBClient"
    table: str
    now: Clock

    def generations(self) -> Generations:
        """One strongly consistent GetItem."""
        with translated():
            item = self.client.get_item(
                TableName=self.table, Key=_GENERATIONS, ConsistentRead=True
            ).get("Item")
        if item is None:
            return Generations()
        building = read_integer(item, "building") if "building" in item else None
        return Generations(read_integer(item, "current"), building)

    def tallies(self, record_ids: Sequence[str]) -> Mapping[str, Tally]:
        """One strongly consistent BatchGetItem for 100 ids."""
        keys = [table_keys.tally_key(each) for each in dict.fromkeys(record_ids)]
        found = items_at(self.client, self.table, keys, consistent=True)
        return {tally.record_id: tally for tally in map(_tally, found)}

    def count(self, recounts: Sequence[Recount], generations: Generations) -> None:
        """One transaction; where there are too many cells for it, one for each half."""
        writes = [
            _still(generations),
            *(self._put(recount) for recount in recounts),
            *self._additions(recounts, generations),
        ]
        if len(writes) <= MAX_TOGETHER:
            commit(self.client, self.table, writes)
            return
        middle = len(recounts) // 2
        self.count(recounts[:middle], generations)
        self.count(recounts[middle:], generations)

    def pages(self, generation: int, scope: str | None) -> Iterator[CellPage]:
        """A strongly consistent Query each."""
        request = self._cells(generation, table_keys.counter_place(scope))
        request["ScanIndexForward"] = False
        while True:
            with translated():
                page = self.client.query(**request)
            yield [(_name(item), _amounts(item)) for item in page["Items"]]
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def build(self, before: Generations) -> Generations:
        """One conditional put."""
        return self._become(before, Generations(before.current, before.current + 1))

    def switch(self, before: Generations) -> Generations:
        """One conditional put."""
        return self._become(before, Generations(before.newest))

    def drift(self, generations: Generations, after: str | None) -> tuple[int, str | None]:
        """Queries of some cells of both, and a TransactGetItems for each that differs."""
        old, ends = self._some(generations.current, after or "")
        new = self._between(generations.newest, after or "", ends)
        differing = [key for key in {**old, **new} if _off(old, new, key)]
        off = [self._difference(generations, key) for key in differing if not _is_growth(key)]
        return sum(off), ends

    def remove(self, generation: int) -> bool:
        """A Query and a delete for each item."""
        cells, _ = self._some(generation, "")
        keys = [_cell_key(generation, name) for name in cells]
        for start in range(0, len(keys), MAX_TOGETHER):
            deletes = [
                Write("Delete", lost, "attribute_exists(pk)", key=key)
                for key in keys[start : start + MAX_TOGETHER]
            ]
            with suppress(LostRace):  # another one removes them
                commit(self.client, self.table, deletes)
        return bool(cells)

    def progress(self) -> Kept | None:
        """One strongly consistent GetItem."""
        return kept_at(self.client, self.table, _PROGRESS)

    def keep(self, progress: JsonObject, before: Kept | None) -> Kept:
        """One conditional put."""
        return keep_at(self.client, self.table, _PROGRESS, progress, before)

    def _put(self, recount: Recount) -> Write:
        before, after = recount.before, recount.after
        item = _tally_item(after, 1 if before is None else before.revision + 1)
        if not after.cells:
            end_s = int(epoch_seconds(self.now() + MARKER_PERIOD))
            item["expires_at"] = number(end_s)
        if before is None:
            return Write("Put", lost, "attribute_not_exists(pk)", item=item)
        values = {":before": number(before.revision)}
        return Write("Put", lost, "revision = :before", item=item, values=values)

    def _additions(self, recounts: Sequence[Recount], generations: Generations) -> Iterator[Write]:
        now_s = epoch_seconds(self.now())
        for (generation, scope), cells in moves_of(recounts, generations).items():
            place = table_keys.counter_place(scope)
            for name, amounts in cells.items():
                expires_s = _expires_s(name)
                if expires_s is None or expires_s > now_s:
                    key = _cell_key(generation, f"{place}{name}")
                    yield _addition(key, amounts, expires_s)

    def _become(self, before: Generations, after: Generations) -> Generations:
        item = {**_GENERATIONS, "current": number(after.current)}
        if after.building is not None:
            item["building"] = number(after.building)
        still = _still(before)
        write = Write(
            "Put", lost, still.condition, item=item, names=still.names, values=still.values
        )
        commit(self.client, self.table, [write])
        return after

    def _cells(self, generation: int, place: str) -> "QueryInputTypeDef":
        return {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :place)",
            "ExpressionAttributeValues": {
                ":pk": text(table_keys.counter_partition(generation)),
                ":place": text(place),
            },
        }

    def _some(self, generation: int, after: str) -> tuple[Cells, str | None]:
        """The next cells by sort key, and the last one's where others follow."""
        request = self._behind(generation, after) | {"Limit": CELLS}
        with translated():
            page = self.client.query(**request)
        last = page.get("LastEvaluatedKey")
        return _by_key(page["Items"]), None if last is None else read_text(last, "sk")

    def _between(self, generation: int, after: str, ends: str | None) -> Cells:
        """All cells behind a sort key, up to another one where it is given."""
        request = self._behind(generation, after)
        if ends is not None:
            request["KeyConditionExpression"] = "pk = :pk AND sk BETWEEN :after AND :ends"
            request["ExpressionAttributeValues"][":ends"] = text(ends)
        return _by_key(item for item in items_of(self.client, request) if _sk(item) != after)

    def _behind(self, generation: int, after: str) -> Any:
        return {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk AND sk > :after",
            "ExpressionAttributeValues": {
                ":pk": text(table_keys.counter_partition(generation)),
                ":after": text(after or _BEFORE_ALL),
            },
        }

    def _difference(self, generations: Generations, name: str) -> int:
        """Of one cell in both, as of one moment."""
        keys = [
            _cell_key(generation, name) for generation in (generations.current, generations.newest)
        ]
        old, new = (_by_key([item] if item else []) for item in self._at_once(keys))
        return _off(old, new, name)

    def _at_once(self, keys: Sequence[Mapping[str, Value]]) -> Sequence[Item]:
        """The items, empty where there is none, of one moment."""
        for _ in range(TRIES):
            with suppress(LostRace), translated():
                answer = self.client.transact_get_items(
                    TransactItems=[{"Get": {"TableName": self.table, "Key": key}} for key in keys]
                )
                return [each.get("Item", {}) for each in answer["Responses"]]
        raise Unavailable("too many write into one counter; try again")


_GENERATIONS: Mapping[str, Value] = {
    "pk": text(table_keys.COUNTERS),
    "sk": text(table_keys.GENERATIONS),
}
_PROGRESS: Mapping[str, Value] = {
    "pk": text(table_keys.COUNTERS),
    "sk": text(table_keys.RECONCILING),
}
_BEFORE_ALL = "!"
"""Sorts before any cell."""


def _still(generations: Generations) -> Write:
    """Lost where the generations are others by now."""
    values = {":current": number(generations.current)}
    if generations.building is not None:
        values[":building"] = number(generations.building)
        condition = "#current = :current AND building = :building"
    else:
        condition = "#current = :current AND attribute_not_exists(building)"
        if generations == Generations():
            condition = f"attribute_not_exists(pk) OR ({condition})"
    return Write(
        "ConditionCheck",
        lost,
        condition,
        key=_GENERATIONS,
        names={"#current": "current"},
        values=values,
    )


def _expires_s(name: str) -> int | None:
    """When nobody looks at the cell any more, in seconds since 1970; None where that never is."""
    cell = cell_named(name)
    return cell.ends_s + GROWTH_STAYS_S if isinstance(cell, GrowthCell) else None


def _addition(key: Mapping[str, Value], amounts: Amounts, expires_s: int | None) -> Write:
    numbered = list(enumerate(amounts.items()))
    update = "ADD " + ", ".join(f"#{position} :{position}" for position, _ in numbered)
    names = {f"#{position}": amount for position, (amount, _) in numbered}
    values = {f":{position}": number(value) for position, (_, value) in numbered}
    if expires_s is not None:
        update += " SET expires_at = :end"
        values[":end"] = number(expires_s)
    return Write("Update", lost, key=key, update=update, names=names, values=values)


def _cell_key(generation: int, name: str) -> dict[str, Value]:
    return {"pk": text(table_keys.counter_partition(generation)), "sk": text(name)}


def _tally_item(tally: Tally, revision: int) -> dict[str, Value]:
    item = {
        **table_keys.tally_key(tally.record_id),
        "source_version": number(tally.version),
        "generation": number(tally.generation),
        "revision": number(revision),
        "cells": text(compact_json(tally.cells)),
    }
    return item | {"scope": text(tally.scope)} if tally.scope else item


def _tally(item: Item) -> Tally:
    return Tally(
        table_keys.record_id_of_tally(item),
        read_integer(item, "source_version"),
        read_integer(item, "generation"),
        read_text(item, "scope") if "scope" in item else "",
        parsed(item, "cells", read_text(item, "cells"), dict),
        read_integer(item, "revision"),
    )


def _by_key(items: Iterable[Item]) -> Cells:
    return {_sk(item): _amounts(item) for item in items}


def _sk(item: Item) -> str:
    return read_text(item, "sk")


def _name(item: Item) -> str:
    """The cell's own name, without its place."""
    return _sk(item).partition("#")[2]


def _amounts(item: Item) -> dict[str, int]:
    """However an emulator spells whole numbers."""
    own = item.keys() - {*KEY_ATTRIBUTES, "expires_at"}
    return {name: int(Decimal(item[name]["N"])) for name in own}


def _off(old: Cells, new: Cells, key: str) -> int:
    return drift_between(old.get(key, {}), new.get(key, {}))


def _is_growth(key: str) -> bool:
    return key.partition("#")[2].startswith(GROWTH)
