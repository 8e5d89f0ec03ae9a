"""A table in memory: items by key, secondary indexes, vector indexes and the stream.

The limits are those of AWS, "Quotas in Amazon DynamoDB".
"""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from membrane_local.memory.attributes import (
    MAX_ITEM_BYTES,
    Image,
    Item,
    Refused,
    Value,
    bad_value,
    invalid,
    item_bytes,
    kind_of,
    sortable,
    value_bytes,
)
from membrane_local.memory.files import TableFile
from membrane_local.memory.searches import VectorIndex
from membrane_local.memory.streams import Changed, Stream

MAX_PARTITION_KEY_BYTES = 2_048
MAX_SORT_KEY_BYTES = 1_024
Key = tuple[Any, ...]
"""The contents of an item's key attributes, in an order that Python sorts as DynamoDB does."""


class _AfterAll:
    """Sorts after every content of a key."""

    def __lt__(self, _: object) -> bool:
        return False

    def __gt__(self, _: object) -> bool:
        return True


AFTER_ALL = _AfterAll()


def schema_of(definition: Mapping[str, Any]) -> list[str]:
    """The key attributes, the partition's first."""
    ordered = sorted(definition["KeySchema"], key=lambda each: each["KeyType"] != "HASH")
    return [each["AttributeName"] for each in ordered]


@dataclass(slots=True)
class Index:
    schema: Sequence[str]
    projection: Mapping[str, Any]
    name: str | None = None
    """None for the table itself."""
    entries: list[Key] = field(default_factory=list)
    """The keys in order: of a secondary index, with the table's key behind its own."""

    def entry(self, item: Mapping[str, Value] | None, key: Key) -> Key | None:
        """The item's entry; None where the item is not in the index."""
        if item is None or not all(name in item for name in self.schema):
            return None
        if self.name is None:
            return key
        return (*(sortable(item[name]) for name in self.schema), *key)

    def project(self, item: Item, keys: Sequence[str]) -> Item:
        if self.projection["ProjectionType"] == "ALL":
            return item
        held = {*keys, *self.schema, *self.projection.get("NonKeyAttributes", ())}
        return {name: value for name, value in item.items() if name in held}

    def note(self, key: Key, before: Item | None, after: Item | None) -> None:
        former, new = self.entry(before, key), self.entry(after, key)
        if former == new:
            return
        if former is not None:
            del self.entries[bisect_left(self.entries, former)]
        if new is not None:
            insort(self.entries, new)


@dataclass(slots=True)
class Write:
    table: "Table"
    key: Key
    before: Item | None
    after: Item | None
    fault: Refused | None = None
    """Why the item does not allow the write."""
    is_check: bool = False

    def units(self) -> tuple[int, dict[str, int]]:
        """The units of the table, and of each index that the write changes."""
        images = [each for each in (self.before, self.after) if each is not None]
        of_indexes = {str(each.name): self._index_units(each) for each in self.table.secondary}
        return _units(*images), {name: units for name, units in of_indexes.items() if units}

    def vector_bytes(self) -> dict[str, int]:
        written = {
            each.name: each.written_bytes(self.before, self.after) for each in self.table.searched
        }
        return {name: size for name, size in written.items() if size}

    def _index_units(self, index: Index) -> int:
        """AWS, "Provisioned throughput considerations for global secondary indexes"."""
        entries, images = [], []
        for each in (self.before, self.after):
            entries.append(index.entry(each, self.key))
            if each is not None and entries[-1] is not None:
                images.append(index.project(each, self.table.keys))
        if not images or images == images[:1] * 2:
            return 0
        return _units(*images) if entries[0] == entries[1] else sum(map(_units, images))


def _units(*images: Item) -> int:
    """The units of the largest image: a unit a kilobyte, rounded up."""
    return max(1, -(-max(map(item_bytes, images), default=0) // 1_024))


class Table:
    def __init__(self, definition: dict[str, Any], arn: str, created_s: float) -> None:
        self.definition, self.arn, self.created_s = definition, arn, created_s
        self.name: str = definition["TableName"]
        attributes = definition["AttributeDefinitions"]
        self.types: dict[str, str] = {
            each["AttributeName"]: each["AttributeType"] for each in attributes
        }
        self.keys = schema_of(definition)
        self.own = Index(self.keys, {"ProjectionType": "ALL"})
        self.secondary = [
            Index(schema_of(each), each["Projection"], each["IndexName"])
            for each in definition.get("GlobalSecondaryIndexes") or ()
        ]
        self.searched = [
            VectorIndex(each, self.keys, self.types)
            for each in definition.get("VectorIndexes") or ()
        ]
        self.vectors = [each.attribute for each in self.searched]
        self.items: dict[Key, Image] = {}
        self.stream: Stream | None = None
        self.file: TableFile | None = None
        self.time_to_live: str | None = None
        """The attribute with the epoch seconds from which on an item may be removed."""

    def describe(self) -> dict[str, Any]:
        return {
            "definition": self.definition,
            "arn": self.arn,
            "created_s": self.created_s,
            "stream": self.stream and (self.stream.arn, self.stream.view),
            "time_to_live": self.time_to_live,
        }

    @classmethod
    def kept_in(cls, file: TableFile, described: Mapping[str, Any], last_number: int) -> "Table":
        found = cls(described["definition"], described["arn"], described["created_s"])
        found.time_to_live = described["time_to_live"]
        for item in file.items(found.name):
            key = tuple(sortable(item[name]) for name in found.keys)
            found.store(Write(found, key, None, item), 0.0)
        found.file = file
        if described["stream"] is not None:
            arn, view = described["stream"]
            found.stream = Stream(arn, view, last_number=last_number)
            for number, kept in file.changes(found.name):
                images = (
                    kept[name] and Image.of(kept[name], found.vectors)
                    for name in ("before", "after")
                )
                changed = Changed(number, kept["at_s"], kept["keys"], *images)
                found.stream.changes.append(changed)
        return found

    def index(self, name: str | None) -> Index:
        """Raises Refused."""
        for each in (self.own, *self.secondary):
            if each.name == name:
                return each
        raise _no_index(name)

    def vector_index(self, name: str) -> VectorIndex:
        """Raises Refused."""
        for each in self.searched:
            if each.name == name:
                return each
        raise _no_index(name)

    def read(self, key: Key) -> Item | None:
        image = self.items.get(key)
        return None if image is None else image.item()

    def store(self, write: Write, now_s: float) -> None:
        key, before, after = write.key, write.before, write.after
        if (held := before or after) is None:
            return
        keys = {name: held[name] for name in self.keys}
        if self.file is not None:  # first: a file that is in use refuses the call
            self.file.keep(self.name, keys, after)
        former = self.items.pop(key, None)
        image = None if after is None else Image.of(after, self.vectors)
        if image is not None:
            self.items[key] = image
        for index in (self.own, *self.secondary):
            index.note(key, before, after)
        for searched in self.searched:
            searched.note(key, after, image)
        if self.stream is not None and before != after:
            changed = Changed(self.stream.last_number + 1, now_s, keys, former, image)
            self.stream.add(changed)
            if self.file is not None:
                self.file.add_change(self.name, changed.number, changed.as_kept())

    def key_of(self, asked: Mapping[str, Value]) -> Key:
        kinds = {name: kind_of(value) for name, value in asked.items()}
        if kinds != {name: self.types[name] for name in self.keys}:
            raise invalid("The provided key element does not match the schema")
        return self._legal_key(asked)

    def key_in(self, item: Item) -> Key:
        for name in self.keys:
            if name not in item:
                raise bad_value(f"Missing the key {name} in the item")
            if kind_of(item[name]) != self.types[name]:
                raise bad_value(
                    f"Type mismatch for key {name} expected: {self.types[name]} "
                    f"actual: {kind_of(item[name])}"
                )
        return self._legal_key(item)

    def require_legal(self, item: Item, whole: str) -> None:
        """Raises Refused for an item beyond DynamoDB's rules; `whole` names the item."""
        for index in self.secondary:
            for name, limit in zip(index.schema, _KEY_LIMITS, strict=False):
                if name in item:
                    self._require_legal_index_key(index, name, item[name], limit)
        for searched in self.searched:
            if searched.attribute in item:
                searched.require_legal(item[searched.attribute])
        if item_bytes(item) > MAX_ITEM_BYTES:
            raise invalid(f"{whole} has exceeded the maximum allowed size")

    def _legal_key(self, held: Mapping[str, Value]) -> Key:
        for name, limit in zip(self.keys, _KEY_LIMITS, strict=False):
            size = value_bytes(held[name])
            if not size:
                kind = "string" if self.types[name] == "S" else "binary"
                raise invalid(
                    "One or more parameter values are not valid. The AttributeValue for a key "
                    f"attribute cannot contain an empty {kind} value. Key: {name}"
                )
            if self.types[name] != "N" and size > limit:
                raise bad_value(
                    f"Size of hashkey has exceeded the maximum size limit of{limit} bytes"
                    if name == self.keys[0]
                    else "Aggregated size of all range keys has exceeded the size limit of "
                    f"{limit} bytes"
                )
        return tuple(sortable(held[name]) for name in self.keys)

    def _require_legal_index_key(self, index: Index, name: str, value: Value, limit: int) -> None:
        if kind_of(value) != self.types[name]:
            raise bad_value(
                f"Type mismatch for Index Key {name} Expected: {self.types[name]} "
                f"Actual: {kind_of(value)} IndexName: {index.name}"
            )
        size = value_bytes(value)
        if not size:
            raise invalid(
                "One or more parameter values are not valid. A value specified for a secondary "
                "index key is not supported. The AttributeValue for a key attribute cannot contain "
                f"an empty string value. IndexName: {index.name}, IndexKey: {name}"
            )
        if self.types[name] != "N" and size > limit:
            raise bad_value(f"Size of the key {name} has exceeded the limit of {limit} bytes")


_KEY_LIMITS = (MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES)


def _no_index(name: str | None) -> Refused:
    return invalid(f"The table does not have the specified index: {name}")
