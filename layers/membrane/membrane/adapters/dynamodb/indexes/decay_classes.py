"""The decay classes of every scope: at most 16 a type, to keep the merge of a ranking small."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.records import MemoryRecord
from membrane.domain.salience.function import decay_class
from membrane.domain.salience.profiles import Profiles, is_still_known, profiles_with
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, translating_errors
from membrane.table.index import RANK
from membrane.table.items import (
    Item,
    LostRace,
    Value,
    Write,
    change_attributes,
    parse_text,
    read_text,
    read_words,
    text,
)
from membrane.usecases.ports.surroundings import Clock

_Place = tuple[str, MemoryType, str]


@dataclass(frozen=True, slots=True)
class ClassRegistry(OverTable):
    """One item per scope with the classes in use by type; classes of the settings are implied.

    Classes of earlier settings are in an item of their own.
    """

    implied: Callable[[MemoryType], frozenset[str]]
    reserved: Callable[[MemoryType], frozenset[str]]
    """Classes that are registered when a scope uses one, even if the scope's list is full."""
    rank_shards: int
    """Shards of every class in the rank index."""
    now: Clock
    known: dict[_Place, float] = field(default_factory=dict)
    """The time at which a class of a scope and type was last seen registered."""
    kept: set[str] = field(default_factory=set)
    """Classes of the settings that are stored already."""

    def registrations(self, records: Sequence[MemoryRecord]) -> list[Write]:
        """The writes that go with records that get entries under their decay classes.

        No write for a class of the settings, or a class seen registered lately. Otherwise one
        GetItem and at most one write for a scope; if a list is full, also a Query for every class
        and shard. Raises TooManyProfiles.
        """
        unknown = dict.fromkeys(_place(each) for each in records if not self._is_known(each))
        scopes = dict.fromkeys(scope for scope, _, _ in unknown)
        return [
            write
            for scope in scopes
            for write in self._additions(scope, [each for each in unknown if each[0] == scope])
        ]

    def _is_known(self, record: MemoryRecord) -> bool:
        if decay_class(record.lifecycle) in self.implied(record.type):
            return True
        return is_still_known(self.known.get(_place(record)), epoch_seconds(self.now()))

    def _additions(self, scope: str, places: Sequence[_Place]) -> list[Write]:
        """The write that adds classes to the lists of the scope; none if the lists have all."""
        existing, now_s = self._item(table_keys.classes_key(scope)), epoch_seconds(self.now())
        lists: dict[str, Value] = {}
        for place in places:
            self.known.pop(place, None)
            _, memory_type, named = place
            before = _profiles({**existing, **lists}, memory_type)
            after = profiles_with(
                named,
                before,
                self.implied(memory_type),
                partial(self._is_used, scope, memory_type),
                now_s,
                reserved=self.reserved(memory_type),
            )
            if after == before:
                self.known[place] = now_s
            else:
                lists[memory_type] = {"SS": sorted(after.every)}
                lists[_leaving(memory_type)] = text(compact_json(dict(after.leaving)))
        return [_change(table_keys.classes_key(scope), lists, existing)] if lists else []

    def remember(self, record: MemoryRecord) -> None:
        """Remember the record's class as registered, once the write is done."""
        if decay_class(record.lifecycle) not in self.implied(record.type):
            self.known.setdefault(_place(record), epoch_seconds(self.now()))

    def in_use(self, scope: str) -> Mapping[MemoryType, frozenset[str]]:
        """Every class that records of the scope may have; two strongly consistent GetItems."""
        items = (self._item(table_keys.classes_key(scope)), self._item(_SETTINGS))
        return {
            each: self.implied(each).union(*(_classes_in(item, each) for item in items))
            for each in MemoryType
        }

    def keep_implied(self) -> None:
        """Store the settings' classes for the day the settings change; later calls do nothing.

        One GetItem, plus a conditional UpdateItem after a change of the settings. If a concurrent
        environment comes first, a later call tries again.
        """
        if self.kept:
            return
        existing = self._item(_SETTINGS)
        lists: dict[str, Value] = {}
        for each in MemoryType:
            stored = _classes_in(existing, each)
            if not self.implied(each) <= stored:
                lists[each] = {"SS": sorted(self.implied(each) | stored)}
        if lists:
            with suppress(LostRace):
                self.commit_all(_change(_SETTINGS, lists, existing))
            return
        self.kept.update(*map(self.implied, MemoryType))

    def _is_used(self, scope: str, memory_type: MemoryType, decay_class: str) -> bool:
        """Whether any record has the class: one Query a shard, up to the first entry."""
        return any(
            self._has_entry(table_keys.rank_partition(scope, memory_type, decay_class, shard))
            for shard in range(self.rank_shards)
        )

    def _has_entry(self, partition: str) -> bool:
        with translating_errors():
            found = self.client.query(
                TableName=self.table,
                IndexName=RANK.name,
                ConsistentRead=False,
                Limit=1,
                Select="COUNT",
                KeyConditionExpression="rank_pk = :pk",
                ExpressionAttributeValues={":pk": text(partition)},
            )
        return found["Count"] > 0

    def _item(self, key: Mapping[str, Value]) -> Item:
        return self.item_at(key) or {}


def _place(record: MemoryRecord) -> _Place:
    return (record.scope, record.type, decay_class(record.lifecycle))


def _profiles(item: Item, memory_type: MemoryType) -> Profiles:
    name = _leaving(memory_type)
    leaving = parse_text(item, name, read_text(item, name), dict) if name in item else {}
    return Profiles(_classes_in(item, memory_type), leaving)


def _leaving(memory_type: MemoryType) -> str:
    return f"leaving_{memory_type}"


def _classes_in(item: Item, memory_type: MemoryType) -> frozenset[str]:
    return read_words(item, memory_type) if memory_type in item else frozenset()


def _change(key: Mapping[str, Value], lists: Mapping[str, Value], existing: Item) -> Write:
    """Set the lists; lost if one has changed since `existing` was read."""
    return change_attributes(
        key, {each: existing[each] for each in lists if each in existing}, lists
    )


_SETTINGS = table_keys.primary_key(table_keys.SETTINGS, table_keys.CLASSES)
"""The item of the classes that present or earlier settings imply."""
