"""What readers of the search index must know of a scope before they look at its entries."""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    read_binary,
    read_integer,
    read_words,
    text,
)
from membrane.adapters.dynamodb.table.batches import items_at
from membrane.adapters.dynamodb.table.failures import translated
from membrane.adapters.dynamodb.table.keys import RECORDS, SearchSpace
from membrane.adapters.dynamodb.table.writes import Write, commit, lost
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.frequencies import Frequencies, Level, Snapshot, together
from membrane.usecases.ports.records import LostRace

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

COUNT = struct.Struct("<IH")
"""A term and how many documents of the sample have it; 6 bytes."""

TOTALS = struct.Struct("<II")
"""The documents of a level in the sample, and their words."""

MAX_TERMS = 16_000
"""In a snapshot, all levels together: it stays below 100 KB however badly it compresses."""

MAX_SNAPSHOTS = 64
"""Kept in an environment: some MB."""

TRIES = 8
"""Of a write that others may come before; each of them has then got on."""

TOO_MANY = "too many write into one scope; try again"


@dataclass(frozen=True, slots=True)
class ScopeState:
    """By default that of a scope without entries."""

    version: int = 0
    """Moves when the entries do, at most once a batch of the stream."""
    documents: int = 0
    """About how many entries there are."""
    embedders: frozenset[str] = frozenset()
    """The names of all that entries may be of."""
    snapshot: Snapshot = field(default_factory=Snapshot)
    """Of how frequent terms are."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A scope after it has moved."""

    version: int
    documents: int
    counted: int | None
    """How many documents there were when the newest snapshot of frequencies was made, if any."""

    @property
    def is_to_be_counted(self) -> bool:
        """Whether there is no snapshot, or the scope has since doubled or lost more than half."""
        if self.counted is None:
            return True
        documents, counted = max(self.documents, 0), max(self.counted, 0)
        return 2 * documents < counted or (documents > 0 and documents >= 2 * counted)


@dataclass(frozen=True, slots=True)
class ScopeStates:
    """The items `search` and `frequencies` of each scope, and the registry of scopes."""

    client: "DynamoDBClient"
    table: str
    embedder_name: str
    """Of what is written from here on."""
    snapshots: dict[str, tuple[int, Snapshot]] = field(default_factory=dict)
    """By scope the newest snapshot seen, behind the version that it was made at."""
    space: SearchSpace = RECORDS

    def states(self, scopes: Sequence[str]) -> Mapping[str, ScopeState]:
        """The state of each scope; one BatchGetItem, and one more for snapshots not seen yet.

        Strongly consistent, so that a reader who looks at the entries afterwards misses none of
        those that the version tells of.
        """
        keys = [self._key(scope, table_keys.SEARCH) for scope in dict.fromkeys(scopes)]
        found = {
            _scope_of(item): item
            for item in items_at(self.client, self.table, keys, consistent=True)
        }
        self._fetch([scope for scope, item in found.items() if self._is_behind(scope, item)])
        return {
            scope: self._state(scope, found[scope]) if scope in found else ScopeState()
            for scope in scopes
        }

    def frequencies(self, scopes: Sequence[str], ceiling: Sensitivity) -> Frequencies:
        """How frequent terms are in the scopes; the same requests as `states`."""
        states = self.states(scopes).values()
        return together((state.snapshot for state in states), ceiling)

    def move(self, scope: str, added: int) -> Moved:
        """One UpdateItem; for a scope that is new a transaction, which also registers it.

        Raises Unavailable where others come first again and again.
        """
        for _ in range(TRIES):
            try:
                return self._moved(scope, added)
            except self.client.exceptions.ConditionalCheckFailedException:
                self._begin(scope)
            except LostRace:  # a transaction has the item just now
                continue
        raise Unavailable(TOO_MANY)

    def keep(self, scope: str, snapshot: Snapshot, at: Moved) -> None:
        """Keep a snapshot that was made when the scope was so; a later one stays as it is.

        Two conditional writes, the snapshot first: a kill between them lets the next one be made
        sooner.
        """
        version = number(at.version)
        item = self._key(scope, table_keys.FREQUENCIES) | {
            "version": version,
            "documents": number(snapshot.documents),
            **_packed(snapshot),
        }
        newer = {":at": version}
        writes = (
            Write(
                "Put",
                lost,
                "attribute_not_exists(pk) OR version < :at",
                item=item,
                values=newer,
            ),
            Write(
                "Update",
                lost,
                "attribute_exists(pk) AND (attribute_not_exists(counted_at) OR counted_at < :at)",
                key=self._key(scope, table_keys.SEARCH),
                update="SET counted_at = :at, counted = :documents",
                values={**newer, ":documents": number(at.documents)},
            ),
        )
        for write in writes:
            try:
                commit(self.client, self.table, [write])
            except LostRace:
                return

    def settle(self, scope: str, documents: int) -> Moved:
        """The scope has so many entries, all of the present embedder; a GetItem, an UpdateItem.

        Raises Unavailable where others come first again and again.
        """
        for _ in range(TRIES):
            with suppress(LostRace):
                return self._settled(scope, documents)
        raise Unavailable(TOO_MANY)

    def _settled(self, scope: str, documents: int) -> Moved:
        item = self._item(scope)
        version = read_integer(item, "version")
        write = Write(
            "Update",
            lost,
            "version = :version",
            key=self._key(scope, table_keys.SEARCH),
            update="SET version = :next, documents = :documents, embedders = :present",
            values={
                ":version": number(version),
                ":next": number(version + 1),
                ":documents": number(documents),
                ":present": {"SS": [self.embedder_name]},
            },
        )
        commit(self.client, self.table, [write])
        return Moved(version + 1, documents, _counted(item))

    def _moved(self, scope: str, added: int) -> Moved:
        with translated():
            item = self.client.update_item(
                TableName=self.table,
                Key=self._key(scope, table_keys.SEARCH),
                UpdateExpression="ADD version :one, documents :added, embedders :present",
                ConditionExpression="attribute_exists(pk)",
                ExpressionAttributeValues={
                    ":one": number(1),
                    ":added": number(added),
                    ":present": {"SS": [self.embedder_name]},
                },
                ReturnValues="ALL_NEW",
            )["Attributes"]
        return Moved(read_integer(item, "version"), read_integer(item, "documents"), _counted(item))

    def _begin(self, scope: str) -> None:
        """Whoever comes first begins it; the others find it begun."""
        state = self._key(scope, table_keys.SEARCH) | {
            "version": number(0),
            "documents": number(0),
            "embedders": {"SS": [self.embedder_name]},
        }
        registered = {
            "pk": text(self.space.scopes),
            "sk": text(table_keys.scope_place(scope)),
        }
        free = "attribute_not_exists(pk)"
        try:
            commit(
                self.client,
                self.table,
                [Write("Put", lost, free, item=item) for item in (state, registered)],
            )
        except LostRace:
            return

    def _item(self, scope: str) -> Item:
        with translated():
            found = self.client.get_item(
                TableName=self.table, Key=self._key(scope, table_keys.SEARCH), ConsistentRead=True
            )
        return found.get("Item", {})

    def _key(self, scope: str, place: str) -> dict[str, Value]:
        return table_keys.state_key(scope, place, self.space)

    def _is_behind(self, scope: str, item: Item) -> bool:
        seen = self.snapshots.get(scope)
        return "counted_at" in item and (seen is None or seen[0] < read_integer(item, "counted_at"))

    def _fetch(self, scopes: Sequence[str]) -> None:
        keys = [self._key(scope, table_keys.FREQUENCIES) for scope in scopes]
        for item in items_at(self.client, self.table, keys, consistent=True):
            self.snapshots[_scope_of(item)] = (read_integer(item, "version"), _unpacked(item))
        for scope in list(self.snapshots)[:-MAX_SNAPSHOTS]:
            self.snapshots.pop(scope, None)

    def _state(self, scope: str, item: Item) -> ScopeState:
        _, snapshot = self.snapshots.get(scope, (0, Snapshot()))
        return ScopeState(
            read_integer(item, "version"),
            read_integer(item, "documents"),
            read_words(item, "embedders"),
            snapshot,
        )


def _scope_of(item: Item) -> str:
    return table_keys.scope_of_state(item)


def _counted(item: Item) -> int | None:
    return read_integer(item, "counted") if "counted" in item else None


def _packed(snapshot: Snapshot) -> dict[str, Value]:
    """A binary for each level, under its name; by term, so that the same counts are the same."""
    levels = snapshot.shortened(MAX_TERMS).levels
    return {name: binary(zlib.compress(b"".join(_rows(levels[name])))) for name in levels}


def _rows(level: Level) -> Iterator[bytes]:
    yield TOTALS.pack(level.documents, level.words)
    for term in sorted(level.occurrences):
        yield COUNT.pack(term, level.occurrences[term])


def _unpacked(item: Item) -> Snapshot:
    levels = {name: _level(item, name) for name in Sensitivity if name in item}
    return Snapshot(read_integer(item, "documents"), levels)


def _level(item: Item, name: str) -> Level:
    try:
        packed = zlib.decompress(read_binary(item, name))
        documents, words = TOTALS.unpack_from(packed)
        return Level(documents, words, dict(COUNT.iter_unpack(packed[TOTALS.size :])))
    except (zlib.error, struct.error) as error:
        raise CorruptItem(item, f"{name} cannot be read") from error
