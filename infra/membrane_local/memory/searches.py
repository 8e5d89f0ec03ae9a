"""The vector indexes of a table: the nearest vectors by brute force, in matrices kept ready.

An index holds the items that have its HASH attribute and a vector of its length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from membrane_local.memory.attributes import Image, Item, Value, invalid, item_bytes, kind_of
from membrane_local.memory.expressions import Expressions

MAX_FOUND = 100
LEAST_BYTES = 1_024
"""The least charge of a search, or of a write to the index."""
_FLOAT_BYTES = 4
Key = tuple[Any, ...]
Filters = tuple[str, ...]
"""The HASH attribute and the inline filters of an item, each as text; empty where absent."""


class _Row(NamedTuple):
    key: Key
    image: Image
    size: int
    """What a search is charged for the row."""


@dataclass(slots=True)
class _Rows:
    matrix: NDArray[np.float32]
    """A vector for each row, then room to spare."""
    rows: list[_Row] = field(default_factory=list)
    places: dict[Key, int] = field(default_factory=dict)

    def add(self, row: _Row, vector: Sequence[float]) -> None:
        place = len(self.rows)
        if place == len(self.matrix):
            self.matrix = np.concatenate((self.matrix, np.empty_like(self.matrix)))
        self.matrix[place] = vector
        self.places[row.key] = place
        self.rows.append(row)

    def remove(self, key: Key) -> None:
        """Remove a row; the last takes its place."""
        place, last = self.places.pop(key), self.rows.pop()
        if place < len(self.rows):
            self.matrix[place] = self.matrix[len(self.rows)]
            self.rows[place] = last
            self.places[last.key] = place


class VectorIndex:
    def __init__(
        self, definition: Mapping[str, Any], keys: Sequence[str], types: Mapping[str, str]
    ) -> None:
        self.definition, self.keys, self.types = definition, keys, types
        self.name: str = definition["IndexName"]
        self.attribute: str = definition["VectorAttribute"]["AttributeName"]
        self.dimensions: int = definition["Dimensions"]
        schema = definition.get("SearchSchema", ())
        ordered = sorted(schema, key=lambda each: each["SearchSchemaElementType"] != "HASH")
        self.schema_names: list[str] = [each["AttributeName"] for each in ordered]
        """The attributes that a search may name, the HASH attribute first."""
        has_hash = any(each["SearchSchemaElementType"] == "HASH" for each in schema)
        self.hash_attribute = self.schema_names[0] if has_hash else None
        self.rows: dict[Filters, _Rows] = {}
        self.filters: dict[Key, Filters] = {}

    def note(self, key: Key, item: Item | None, image: Image | None) -> None:
        """Take in an item's new image; None for a removal."""
        former = self.filters.pop(key, None)
        if former is not None:
            self.rows[former].remove(key)
            if not self.rows[former].rows:
                del self.rows[former]
        if item is None or image is None or not self._is_indexed(item):
            return
        filters = tuple(_as_filter(item.get(name)) for name in self.schema_names)
        if filters not in self.rows:
            self.rows[filters] = _Rows(np.empty((1, self.dimensions), dtype=np.float32))
        vector = [float(each["N"]) for each in item[self.attribute]["L"]]
        self.rows[filters].add(_Row(key, image, self._bytes(item)), vector)
        self.filters[key] = filters

    def search(
        self, vector: Sequence[Value], top: int, expressions: Expressions
    ) -> tuple[list[dict[str, Any]], int]:
        """The nearest items with their distances, and the bytes examined; raises Refused."""
        question = self._question(vector)
        if not 1 <= top <= MAX_FOUND:
            raise invalid(
                f"Provided TopK value '{top}' is out of valid range. "
                f"The value must be between 1 and {MAX_FOUND} inclusive"
            )
        wanted = self._wanted_values(expressions)
        projected = expressions.projected_names()
        expressions.require_used()
        examined, found = 0, []
        for filters, rows in self.rows.items():
            if self.hash_attribute and filters[0] not in wanted[self.hash_attribute]:
                continue
            examined += sum(row.size for row in rows.rows)
            named = zip(self.schema_names, filters, strict=True)
            if all(value in wanted.get(name, (value,)) for name, value in named):
                found += _nearest(rows, question, top)
        found.sort(key=lambda each: (each[0], each[1].key))
        results = [
            {"Score": score, "Item": self.project(row.image.rest(), projected)}
            for score, row in found[:top]
        ]
        return results, max(LEAST_BYTES, examined)

    def written_bytes(self, before: Item | None, after: Item | None) -> int:
        """The charge of a write of the item: 0 for an unchanged entry."""
        held = [each for each in (before, after) if each is not None and self._is_indexed(each)]
        entries = [(each[self.attribute], self.project(each)) for each in held]
        if not held or entries == entries[:1] * 2:
            return 0
        return max(LEAST_BYTES, *map(self._bytes, held))

    def project(self, item: Item, wanted: set[str] | None = None) -> Item:
        """The attributes of an item in the index without the vector, limited to the wanted."""
        projection = self.definition["Projection"]
        held = {*self.keys, *self.schema_names, *projection.get("NonKeyAttributes", ())}
        if projection["ProjectionType"] == "ALL":
            held.update(item)
        held.discard(self.attribute)
        if wanted is not None:
            held &= wanted
        return {name: value for name, value in item.items() if name in held}

    def require_legal(self, value: Value) -> None:
        """Raises Refused for a value that is no vector of the index."""
        of = f"parameter {self.attribute}, Expected:"
        if "L" in value and len(value["L"]) != self.dimensions:
            raise invalid(
                f"One or more parameter values were invalid. Invalid size for {of} "
                f"{self.dimensions}, Actual: {len(value['L'])} IndexName: {self.name}"
            )
        if "L" not in value or not all("N" in each for each in value["L"]):
            raise invalid(
                f"One or more parameter values were invalid. Invalid type for {of} "
                f"32-bit floating point number list IndexName: {self.name}"
            )

    def _is_indexed(self, item: Item) -> bool:
        vector = item.get(self.attribute, {}).get("L", ())
        return (
            (self.hash_attribute is None or self.hash_attribute in item)
            and len(vector) == self.dimensions
            and all("N" in each for each in vector)
        )

    def _bytes(self, item: Item) -> int:
        vector = len(self.attribute.encode()) + _FLOAT_BYTES * self.dimensions
        return vector + item_bytes(self.project(item))

    def _question(self, vector: Sequence[Value]) -> NDArray[np.float32]:
        if len(vector) != self.dimensions:
            raise invalid(
                f"Input search vector dimension {len(vector)} "
                f"does not match vector index dimension {self.dimensions}"
            )
        if not all("N" in each for each in vector):
            raise invalid(
                "Search vector contains invalid values. All values in the search vector "
                "must be a 32-bit floating-point number attribute"
            )
        return np.array([float(each["N"]) for each in vector], dtype=np.float32)

    def _wanted_values(self, expressions: Expressions) -> dict[str, set[str]]:
        """The allowed values by attribute; raises Refused."""
        parameter, wanted = "SearchConditionExpression", dict[str, set[str]]()
        for each in expressions.comparisons(parameter):
            if each.operator not in ("=", "IN"):
                raise invalid(f"Invalid {parameter}: Invalid comparator used in {parameter}")
            if each.name not in self.schema_names:
                raise invalid(
                    f"{parameter} must not contain any attributes that is not in SearchSchema. "
                    f"Invalid attribute: {each.name}"
                )
            values = [expressions.values[value] for value in each.values]
            for kind in map(kind_of, values):
                if each.name == self.hash_attribute and kind != self.types.get(each.name, kind):
                    raise invalid(
                        f"Type of '{each.name}' attribute in {parameter} ({kind}) "
                        f"does not match type in search schema ({self.types[each.name]})"
                    )
            if each.name in wanted:
                raise invalid(
                    f"Invalid {parameter}: {parameter} must only contain one condition per "
                    "attribute"
                )
            wanted[each.name] = set(map(_as_filter, values))
        if self.hash_attribute and self.hash_attribute not in wanted:
            raise invalid(f"{parameter} must be provided when SearchSchema has a HASH key")
        return wanted


def _nearest(rows: _Rows, question: NDArray[np.float32], top: int) -> list[tuple[float, _Row]]:
    """The nearest rows by their cosine distance: 0 for one direction, 1 without a direction."""
    matrix = rows.matrix[: len(rows.rows)]
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    lengths *= np.sqrt(float(question.astype(np.float64) @ question))
    products = (matrix @ question).astype(np.float64)
    cosines = np.divide(products, lengths, out=np.zeros(len(matrix)), where=lengths > 0)
    distances = np.maximum(0.0, 1.0 - cosines)
    places = np.arange(len(distances))
    if len(distances) > top:
        furthest = np.partition(distances, top - 1)[top - 1]
        places = np.flatnonzero(distances <= furthest)  # ties are told apart by their keys
    return [(float(distances[at]), rows.rows[at]) for at in places]


def _as_filter(value: Value | None) -> str:
    """A value as text, different by type, too; empty where absent."""
    return "" if value is None else repr(sorted(value.items()))
