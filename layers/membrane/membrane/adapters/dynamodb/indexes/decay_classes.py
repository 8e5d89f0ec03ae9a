"""Which decay classes a scope uses: at most 16 a type, so that a ranking can merge them."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import Item, Value, read_words, text
from membrane.adapters.dynamodb.table.failures import translated
from membrane.adapters.dynamodb.table.writes import Write, commit, lost
from membrane.domain.language.errors import TooManyProfiles
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.records import MemoryRecord
from membrane.domain.salience.function import decay_class
from membrane.usecases.ports.records import LostRace

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

MAX_CLASSES = 16
"""Decay classes per scope and type."""

_Known = tuple[str, MemoryType, str]


@dataclass(frozen=True, slots=True)
class ClassRegistry:
    """One item per scope that lists its classes by type; classes of the settings are implied.

    Those of earlier settings are in an item of their own.
    """

    client: "DynamoDBClient"
    table: str
    implied: Callable[[MemoryType], frozenset[str]]
    known: set[_Known] = field(default_factory=set)
    """Registrations seen so far; a class is never taken off the list."""
    kept: set[str] = field(default_factory=set)
    """Classes of the settings that are kept."""

    def registration(self, record: MemoryRecord) -> list[Write]:
        """What must be written with a record of a class that its scope has not used before.

        Raises TooManyProfiles, naming the classes in use, where there are MAX_CLASSES already.
        """
        named = decay_class(record.lifecycle)
        implied = self.implied(record.type)
        if named in implied or self._place(record) in self.known:
            return []
        standing = self._item(_key(record.scope))
        registered = _registered(standing, record.type)
        if named in registered:
            self.known.add(self._place(record))
            return []
        in_use = sorted(implied | registered)
        if len(in_use) >= MAX_CLASSES:
            raise TooManyProfiles(
                f"the scope has {MAX_CLASSES} decay profiles for {record.type} records already: "
                + ", ".join(in_use)
            )
        return [_addition(_key(record.scope), {record.type: frozenset((named,))}, standing)]

    def remember(self, record: MemoryRecord) -> None:
        """Its class is registered, now that the record is written."""
        if decay_class(record.lifecycle) not in self.implied(record.type):
            self.known.add(self._place(record))

    def in_use(self, scope: str) -> Mapping[MemoryType, frozenset[str]]:
        """Every class that the scope's records may be of; two strongly consistent GetItems."""
        items = (self._item(_key(scope)), self._item(_SETTINGS))
        return {
            each: self.implied(each).union(*(_registered(item, each) for item in items))
            for each in MemoryType
        }

    def keep_implied(self) -> None:
        """Keep the settings' classes, for when the settings are others; later calls do nothing.

        One GetItem; a conditional UpdateItem where they were others before. Where another
        environment comes first, a later call looks again.
        """
        if self.kept:
            return
        standing = self._item(_SETTINGS)
        lacking = {
            each: self.implied(each)
            for each in MemoryType
            if not self.implied(each) <= _registered(standing, each)
        }
        if lacking:
            with suppress(LostRace):
                commit(self.client, self.table, [_addition(_SETTINGS, lacking, standing)])
            return
        self.kept.update(*map(self.implied, MemoryType))

    def _item(self, key: Mapping[str, Value]) -> Item:
        with translated():
            found = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)
        return found.get("Item", {})

    @staticmethod
    def _place(record: MemoryRecord) -> _Known:
        return (record.scope, record.type, decay_class(record.lifecycle))


def _registered(item: Item, memory_type: MemoryType) -> frozenset[str]:
    return read_words(item, memory_type) if memory_type in item else frozenset()


def _addition(
    key: Mapping[str, Value], classes: Mapping[MemoryType, frozenset[str]], standing: Item
) -> Write:
    """Fails, to be decided again, where one of the lists has changed since it was read."""
    values: dict[str, Value] = {f":{each}": {"SS": sorted(classes[each])} for each in classes}
    conditions = []
    for each in classes:
        if each in standing:
            conditions.append(f"#{each} = :read_{each}")
            values[f":read_{each}"] = standing[each]
        else:
            conditions.append(f"attribute_not_exists(#{each})")
    return Write(
        "Update",
        lost,
        " AND ".join(conditions),
        key=key,
        update="ADD " + ", ".join(f"#{each} :{each}" for each in classes),
        names={f"#{each}": each for each in classes},
        values=values,
    )


_SETTINGS: Mapping[str, Value] = {
    "pk": text(table_keys.SETTINGS),
    "sk": text(table_keys.CLASSES),
}
"""The item of the classes that the settings of some time imply, or implied."""


def _key(scope: str) -> dict[str, Value]:
    return {"pk": text(table_keys.scope_partition(scope)), "sk": text(table_keys.CLASSES)}
