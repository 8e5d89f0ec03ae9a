"""Search entries in DynamoDB, written in items of their own beside the records (design 8)."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, islice
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.search.entry_items import (
    STANDING,
    embedder_of,
    entry_item,
    is_entry,
    marker_item,
    standing_of,
    withdrawn_item,
)
from membrane.adapters.dynamodb.search.scope_states import Moved, ScopeStates
from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    Item,
    Value,
    number,
    read_binary,
    read_integer,
    read_text,
    read_word,
    text,
)
from membrane.adapters.dynamodb.table.batches import items_at
from membrane.adapters.dynamodb.table.failures import translated
from membrane.adapters.dynamodb.table.keys import RECORDS, SearchSpace
from membrane.adapters.dynamodb.table.queries import items_of
from membrane.adapters.dynamodb.table.writes import Write, commit
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.entries import Entry, unpack_dense, unpack_terms
from membrane.domain.search.frequencies import counted
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.search import Layout, Standing
from membrane.usecases.ports.services import Clock

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef, QueryOutputTypeDef

MARKER_PERIOD = timedelta(days=2)
"""Twice as long as a stream keeps what a late writer could have read."""

SAMPLE = 1_000
"""Entries of a scope whose terms are counted, at most."""

MEGABYTES = 20
"""Of entries that are counted in one go: less than a second's Queries."""

DECIMALS = 6
"""Of a vector's components: digits are bytes, and more of them change no ranking."""

WITH_VECTOR = "with_vector"
"""Says of an entry that it was written for the vector index, even where its vector is empty."""

_FREE = "attribute_not_exists(pk) OR expires_at <= :now"
_NO_LATER = (
    f"{_FREE} OR source_version < :version"
    " OR (source_version = :version AND attribute_not_exists(removed))"
)
"""Nothing stands there, or of an earlier version, or an entry of the same one."""

_REMOVABLE = f"{_FREE} OR source_version <= :version"


_IS_ENTRY = "attribute_exists(pk) AND attribute_not_exists(removed)"
_IS_FOREIGN = f"{_IS_ENTRY} AND embedder <> :present"


class _Later(Exception):
    """What stands there is to stay: it is of a later version, or not what was to be removed."""


@dataclass(frozen=True, slots=True)
class DynamoEntries:
    """The EntryStore over one table, of so many shards to a scope."""

    client: "DynamoDBClient"
    table: str
    embedder_name: str
    shards: int
    now: Clock
    vector: bool
    """Whether entries carry a vector for the table's vector index."""
    space: SearchSpace = RECORDS

    @property
    def layout(self) -> Layout:
        """As it was told."""
        return Layout(self.embedder_name, self.vector, self.shards)

    def standing(self, places: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], Standing]:
        """One strongly consistent BatchGetItem for 100 places."""
        keys = [self._key(*place) for place in dict.fromkeys(places)]
        attributes = (*STANDING, "embedder", WITH_VECTOR)
        found = items_at(self.client, self.table, keys, consistent=True, attributes=attributes)
        return {_place(item): self._standing(item) for item in found if not self._is_past(item)}

    def put(self, entry: Entry, standing: Standing) -> bool:
        """One conditional put."""
        item = entry_item(entry, standing, self.embedder_name, self.shards, self.space)
        if self.vector:
            item |= _vector(entry)
        return self._written(item, _NO_LATER, standing.version)

    def remove(self, scope: str, record_id: str, version: int) -> bool:
        """One conditional put, of a marker."""
        item = marker_item(self._key(scope, record_id), version, self._marker_end_s())
        return self._written(item, _REMOVABLE, version)

    def displace(self, scope: str, record_id: str, shard: int) -> bool:
        """One conditional put, of a marker that keeps nothing away."""
        if shard == table_keys.shard_of(record_id, self.shards):
            return False
        partition = self._partition(scope, shard)
        return self._withdrawn({"pk": text(partition), "sk": text(record_id)}, _IS_ENTRY)

    def disown(self, scope: str, record_id: str) -> bool:
        """One conditional put, of a marker that keeps nothing away."""
        present = {":present": text(self.embedder_name)}
        return self._withdrawn(self._key(scope, record_id), _IS_FOREIGN, present)

    def moved(self, scope: str, added: int) -> None:
        """One UpdateItem; now and then what a snapshot needs: Queries of a sample, two writes."""
        after = self._states().move(scope, added)
        if after.is_to_be_counted:
            self._snap(scope, after)

    def count(self, scope: str, after: str | None) -> tuple[int, str | None]:
        """Queries of some megabytes of entries."""
        shard, start = (0, "") if after is None else json.loads(after)
        entries = 0
        for _ in range(MEGABYTES):
            page = self._counted_page(self._partition(scope, shard), start)
            entries += page["Count"]
            last = page.get("LastEvaluatedKey")
            shard, start = (shard, read_text(last, "sk")) if last else (shard + 1, "")
            if shard == self.shards:
                return entries, None
        return entries, json.dumps([shard, start])

    def settled(self, scope: str, documents: int) -> None:
        """A GetItem, an UpdateItem and a new snapshot; again where other writers come first."""
        self._snap(scope, self._states().settle(scope, documents))

    def _states(self) -> ScopeStates:
        return ScopeStates(self.client, self.table, self.embedder_name, space=self.space)

    def _key(self, scope: str, record_id: str) -> dict[str, Value]:
        return table_keys.entry_key(scope, record_id, self.shards, self.space)

    def _partition(self, scope: str, shard: int) -> str:
        return table_keys.entry_partition(scope, shard, self.space)

    def _standing(self, item: Item) -> Standing:
        """Entries that would now be written otherwise count as made from something else."""
        found = standing_of(item)
        if not is_entry(item):
            return found
        is_alike = (WITH_VECTOR in item) == self.vector and embedder_of(item) == self.embedder_name
        return found if is_alike else Standing(found.version, _OTHERWISE)

    def _written(self, item: Mapping[str, Value], condition: str, version: int) -> bool:
        now = number(int(epoch_seconds(self.now())))
        values = {":now": now, ":version": number(version)}
        return self._is_done(Write("Put", _later, condition, item=item, values=values))

    def _is_done(self, write: Write) -> bool:
        """Whether it was; else its condition is not met."""
        try:
            commit(self.client, self.table, [write])
        except _Later:
            return False
        except LostRace as conflict:
            raise Unavailable("the store did not answer") from conflict
        return True

    def _withdrawn(
        self,
        key: Mapping[str, Value],
        condition: str,
        values: Mapping[str, Value] | None = None,
    ) -> bool:
        """Whether a marker of no version stands there now instead of what is on that condition."""
        item = {**key, **withdrawn_item(self._marker_end_s())}
        write = Write("Put", _later, condition, item=item, values=values or {})
        return self._is_done(write)

    def _snap(self, scope: str, at: Moved) -> None:
        """A snapshot of the scope's frequencies; an empty one where nothing is left."""
        sample = [_counted_of(item) for item in self._sample(scope, at)]
        self._states().keep(scope, counted(sample, max(at.documents, 0)), at)

    def _sample(self, scope: str, at: Moved) -> Iterator[Item]:
        """From each shard as many entries, from some place in it onwards and round."""
        start = hashlib.sha256(f"{at.version} {scope}".encode()).hexdigest()
        for shard in range(self.shards):
            partition = self._partition(scope, shard)
            stretches = (self._stretch(partition, sign, start) for sign in (">", "<="))
            yield from islice(chain.from_iterable(stretches), -(-SAMPLE // self.shards))

    def _stretch(self, partition: str, sign: str, start: str) -> Iterator[Item]:
        request: QueryInputTypeDef = {
            "TableName": self.table,
            "ConsistentRead": True,  # what was just erased is counted no more
            "KeyConditionExpression": f"pk = :pk AND sk {sign} :start",
            "FilterExpression": "attribute_not_exists(removed)",
            "ProjectionExpression": "pk, sk, sensitivity, terms",
            "ExpressionAttributeValues": {":pk": text(partition), ":start": text(start)},
            "Limit": SAMPLE,
        }
        return items_of(self.client, request)

    def _counted_page(self, partition: str, start: str) -> "QueryOutputTypeDef":
        request: QueryInputTypeDef = {
            "TableName": self.table,
            "ConsistentRead": True,
            "Select": "COUNT",
            "KeyConditionExpression": "pk = :pk",
            "FilterExpression": "attribute_not_exists(removed)",
            "ExpressionAttributeValues": {":pk": text(partition)},
        }
        if start:
            request["ExclusiveStartKey"] = {"pk": text(partition), "sk": text(start)}
        with translated():
            return self.client.query(**request)

    def _marker_end_s(self) -> int:
        return int(epoch_seconds(self.now() + MARKER_PERIOD))

    def _is_past(self, item: Item) -> bool:
        now_s = epoch_seconds(self.now())
        return "expires_at" in item and read_integer(item, "expires_at") <= now_s


_OTHERWISE = b"otherwise"
"""No digest."""


def _later(_item: Item) -> Exception:
    return _Later()


def _counted_of(item: Item) -> tuple[Sensitivity, Mapping[int, int]]:
    """How sensitive an entry is, and its terms."""
    sensitivity = read_word(item, "sensitivity", Sensitivity)
    return sensitivity, unpack_terms(read_binary(item, "terms"))


def _place(item: Item) -> tuple[str, str]:
    return table_keys.scope_of_entry(item), str(item["sk"]["S"])


def _vector(entry: Entry) -> dict[str, Value]:
    """The vector for the table's vector index; none of a text that has nothing in it."""
    from membrane.domain.search.vectors import hybrid  # numpy, which only this needs

    vector = hybrid(unpack_dense(entry.dense), unpack_terms(entry.terms))
    numbers = [number(round(each, DECIMALS) + 0.0) for each in vector]  # never -0.0
    if not any(vector):
        return {WITH_VECTOR: {"BOOL": True}}
    return {WITH_VECTOR: {"BOOL": True}, f"vector_{len(numbers)}": {"L": numbers}}
