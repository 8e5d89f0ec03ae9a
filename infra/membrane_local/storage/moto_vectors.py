"""Vector indexes for moto, which has none: SearchVectors by brute force, with DynamoDB's answers.

An index contains the items with the HASH attribute and a vector of the index's length. A vector of
a different length, which DynamoDB refuses to write, is stored and not indexed.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from botocore.awsrequest import AWSPreparedRequest
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.responses import ActionResult
from moto.dynamodb.exceptions import MockValidationException, ResourceNotFoundException
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords
from moto.dynamodb.responses import DynamoHandler, DynamoResult

from membrane_local.storage.search_conditions import Condition, ConditionError, conditions_of

MAX_FOUND = 100
LEAST_BYTES = 1024
"""The least consumption of a search."""

_FLOAT_BYTES = 4
_DEFINITIONS = "vector_indexes"
"""The attribute of moto's table object for the index definitions."""

Attributes = Mapping[str, DynamoType]
Definition = Mapping[str, Any]


@contextmanager
def vector_indexes() -> Iterator[None]:
    """Within this context, moto's tables may have vector indexes."""
    create, describe = DynamoHandler.create_table, Table.describe
    process = BotocoreStubber.process_request
    is_within_another = hasattr(DynamoHandler, "search_vectors")

    def create_table(self: DynamoHandler) -> ActionResult:
        body = self.body
        indexes = body.get("VectorIndexes", [])
        if any(index["DistanceFunction"] != "COSINE" for index in indexes):
            raise MockValidationException("moto's tables are searched by COSINE alone")
        self.body = {**body, "AttributeDefinitions": _attributes_of_keys(body)}
        create(self)
        table = self.dynamodb_backend.get_table(body["TableName"])
        table.attr = body["AttributeDefinitions"]
        setattr(table, _DEFINITIONS, indexes)
        return DynamoResult(table.describe())

    def describe_with_indexes(self: Table, base_key: str = "TableDescription") -> dict[str, Any]:
        described: dict[str, Any] = describe(self, base_key)
        indexes = [{**index, "IndexStatus": "ACTIVE"} for index in getattr(self, _DEFINITIONS, ())]
        if indexes:
            described[base_key]["VectorIndexes"] = indexes
        return described

    def process_request(self: BotocoreStubber, request: AWSPreparedRequest) -> Any:
        request.url = request.url.replace("://search-dynamodb.", "://dynamodb.", 1)
        return process(self, request)

    DynamoHandler.create_table = create_table  # type: ignore[method-assign]  # moto has no other way
    DynamoHandler.search_vectors = _search_vectors  # type: ignore[attr-defined]  # the same
    Table.describe = describe_with_indexes  # type: ignore[method-assign]  # the same
    BotocoreStubber.process_request = process_request  # type: ignore[method-assign]  # the same
    try:
        yield
    finally:
        DynamoHandler.create_table = create  # type: ignore[method-assign]  # back again
        if not is_within_another:
            del DynamoHandler.search_vectors  # type: ignore[attr-defined]  # the same
        Table.describe = describe  # type: ignore[method-assign]  # the same
        BotocoreStubber.process_request = process  # type: ignore[method-assign]  # the same


def _attributes_of_keys(body: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """The attribute definitions of keys, the only ones that moto accepts."""
    secondary = (*body.get("GlobalSecondaryIndexes", ()), *body.get("LocalSecondaryIndexes", ()))
    schemas = [body["KeySchema"], *(index["KeySchema"] for index in secondary)]
    keys = {key["AttributeName"] for schema in schemas for key in schema}
    return [each for each in body["AttributeDefinitions"] if each["AttributeName"] in keys]


def _search_vectors(self: DynamoHandler) -> ActionResult:
    request = self.body
    table = self.dynamodb_backend.tables.get(request["TableName"])
    if table is None:
        raise ResourceNotFoundException
    index = _index_of(table, request["IndexName"])
    try:
        found, examined = index.search(table, request)
    except ConditionError as error:
        raise MockValidationException(str(error)) from error
    reply: dict[str, Any] = {"SearchResults": found}
    if request.get("ReturnConsumedCapacity", "NONE") != "NONE":
        reply["ConsumedCapacity"] = {"VectorSearchRequestBytes": float(examined)}
    return DynamoResult(reply)


def _index_of(table: Table, name: str) -> "_Index":
    for definition in getattr(table, _DEFINITIONS, ()):
        if definition["IndexName"] == name:
            keys = tuple(key["AttributeName"] for key in table.schema)
            types = {each["AttributeName"]: each["AttributeType"] for each in table.attr}
            return _Index(definition, keys, types)
    raise MockValidationException(f"The table does not have the specified index: {name}")


@dataclass(frozen=True, slots=True)
class _Index:
    """A vector index of a table."""

    definition: Definition
    keys: Sequence[str]
    """The table's key attributes."""
    types: Mapping[str, str]
    """Attribute types by name."""

    def search(self, table: Table, request: Definition) -> tuple[list[dict[str, Any]], int]:
        """The nearest items, and the number of bytes examined."""
        top, vector = request["TopK"], self._query_vector(request["SearchVector"])
        if not 1 <= top <= MAX_FOUND:
            raise MockValidationException(
                f"Provided TopK value '{top}' is out of valid range. "
                f"The value must be between 1 and {MAX_FOUND} inclusive"
            )
        wanted, projected = self._expressions(request)
        hash_value = {name: values for name, values in wanted.items() if name == self._hash}
        examined = [item.attrs for item in _items(table) if self._has_vector(item.attrs)]
        examined = [each for each in examined if _fits(each, hash_value)]
        matching = [each for each in examined if _fits(each, wanted)]
        scores = _distances(vector, [_numbers(each[self._vector]) for each in matching])
        nearest = sorted(
            zip(scores, matching, strict=True),
            key=lambda found: (found[0], [str(found[1][key].value) for key in self.keys]),
        )
        results = [
            {"Score": score, "Item": self._project(attributes, projected)}
            for score, attributes in nearest[:top]
        ]
        return results, max(LEAST_BYTES, sum(map(self._bytes, examined)))

    @property
    def _vector(self) -> str:
        return str(self.definition["VectorAttribute"]["AttributeName"])

    @property
    def _hash(self) -> str | None:
        return next(iter(self._schema("HASH")), None)

    def _schema(self, *kinds: str) -> list[str]:
        return [
            each["AttributeName"]
            for each in self.definition.get("SearchSchema", ())
            if each["SearchSchemaElementType"] in kinds
        ]

    def _query_vector(self, vector: Sequence[Mapping[str, str]]) -> Sequence[float]:
        size = self.definition["Dimensions"]
        if len(vector) != size:
            raise MockValidationException(
                f"Input search vector dimension {len(vector)} "
                f"does not match vector index dimension {size}"
            )
        if not all("N" in each for each in vector):
            raise MockValidationException(
                "Search vector contains invalid values. All values in the search vector "
                "must be a 32-bit floating-point number attribute"
            )
        return [float(each["N"]) for each in vector]

    def _expressions(
        self, request: Definition
    ) -> tuple[dict[str, list[DynamoType]], Sequence[str] | None]:
        """The allowed values by attribute, and the projected attributes (None for all)."""
        names, values = _Placeholders(request, "Names"), _Placeholders(request, "Values")
        expression = request.get("SearchConditionExpression")
        projection = request.get("ProjectionExpression")
        if names.given and expression is None and projection is None:
            raise MockValidationException(
                "ExpressionAttributeNames can only be specified when using expressions"
            )
        conditions = [] if expression is None else conditions_of(expression)
        projected = None
        if projection is not None:
            paths = (each.strip() for each in projection.split(","))
            projected = [names.path(each, "ProjectionExpression") for each in paths]
        wanted = self._allowed_values(conditions, names, values)
        for placeholders in (values, names):
            placeholders.require_used()
        return wanted, projected

    def _allowed_values(
        self, conditions: Sequence[Condition], names: "_Placeholders", values: "_Placeholders"
    ) -> dict[str, list[DynamoType]]:
        schema = self._schema("HASH", "INLINE_FILTER")
        wanted: dict[str, list[DynamoType]] = {}
        for condition in conditions:
            name = names.path(condition.name, "SearchConditionExpression")
            if name not in schema:
                raise MockValidationException(
                    "SearchConditionExpression must not contain any attributes that is not in "
                    f"SearchSchema. Invalid attribute: {name}"
                )
            if name in wanted:
                raise ConditionError(
                    "SearchConditionExpression must only contain one condition per attribute"
                )
            wanted[name] = [DynamoType(values.value(each)) for each in condition.values]
        if self._hash is not None and self._hash not in wanted:
            raise MockValidationException(
                "SearchConditionExpression must be provided when SearchSchema has a HASH key"
            )
        for value in wanted.get(self._hash or "", ()):
            kind = self.types.get(self._hash or "", value.type)
            if value.type != kind:
                raise MockValidationException(
                    f"Type of '{self._hash}' attribute in SearchConditionExpression "
                    f"({value.type}) does not match type in search schema ({kind})"
                )
        return wanted

    def _has_vector(self, attributes: Attributes) -> bool:
        vector = attributes.get(self._vector)
        return (
            vector is not None
            and (self._hash is None or self._hash in attributes)
            and vector.type == "L"
            and len(vector.value) == self.definition["Dimensions"]
            and all(each.type == "N" for each in vector.value)
        )

    def _project(
        self, attributes: Attributes, wanted: Sequence[str] | None
    ) -> dict[str, DynamoType]:
        """The attributes of an item in the index without the vector, limited to `wanted`."""
        projection = self.definition["Projection"]
        indexed = {*self.keys, *self._schema("HASH", "INLINE_FILTER")}
        indexed.update(projection.get("NonKeyAttributes", ()))
        if projection["ProjectionType"] == "ALL":
            indexed.update(attributes)
        indexed.discard(self._vector)
        if wanted is not None:
            indexed.intersection_update(wanted)
        return {name: value for name, value in attributes.items() if name in indexed}

    def _bytes(self, attributes: Attributes) -> int:
        """The size of an item in the index."""
        others = self._project(attributes, None)
        dimensions: int = self.definition["Dimensions"]
        vector = len(self._vector.encode()) + _FLOAT_BYTES * dimensions
        return vector + sum(len(name.encode()) + _size(each) for name, each in others.items())


class _Placeholders:
    """The placeholders of names or of values in the expressions of a request."""

    def __init__(self, request: Definition, kind: str) -> None:
        self.given: Mapping[str, Any] = request.get(f"ExpressionAttribute{kind}") or {}
        self._parameter = f"ExpressionAttribute{kind}"
        self._used: set[str] = set()

    def path(self, name: str, expression: str) -> str:
        """The attribute's name; raises ConditionError."""
        if not name.startswith("#"):
            if name.upper() in ReservedKeywords.get_reserved_keywords():
                reason = f"Attribute name is a reserved keyword; reserved keyword: {name}"
                raise ConditionError(reason, expression)
            return name
        if name not in self.given:
            raise ConditionError(
                "An expression attribute name used in the document path is not defined; "
                f"attribute name: {name}",
                expression,
            )
        self._used.add(name)
        return str(self.given[name])

    def value(self, name: str) -> Any:
        """The value; raises ConditionError."""
        if name not in self.given:
            raise ConditionError(
                "An expression attribute value used in expression is not defined; "
                f"attribute value: {name}"
            )
        self._used.add(name)
        return self.given[name]

    def require_used(self) -> None:
        """Raises MockValidationException for placeholders that no expression uses."""
        unused = self.given.keys() - self._used
        if unused:
            raise MockValidationException(
                f"Value provided in {self._parameter} unused in expressions: "
                f"keys: {{{', '.join(sorted(unused))}}}"
            )


def _items(table: Table) -> Iterator[Item]:
    for partition in table.items.values():
        yield from partition.values()


def _fits(attributes: Attributes, wanted: Mapping[str, Sequence[DynamoType]]) -> bool:
    return all(_is_one_of(attributes.get(name), values) for name, values in wanted.items())


def _is_one_of(found: DynamoType | None, values: Sequence[DynamoType]) -> bool:
    return found is not None and any(value == found for value in values)


def _numbers(vector: DynamoType) -> list[float]:
    return [float(each.value) for each in vector.value]


def _distances(question: Sequence[float], vectors: Sequence[Sequence[float]]) -> list[float]:
    """Cosine distances, 0 for the same direction; 1 if either vector has the length 0."""
    if not vectors:
        return []
    rows, query = np.array(vectors), np.array(question)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(query)
    cosines = np.divide(rows @ query, lengths, out=np.zeros(len(rows)), where=lengths > 0)
    return [float(each) for each in np.maximum(0.0, 1.0 - cosines)]


def _size(attribute: DynamoType) -> int:
    """DynamoDB's size of a value in bytes (AWS, "DynamoDB item sizes and formats")."""
    value = attribute.value
    match attribute.type:
        case "S":
            return len(value.encode())
        case "N":
            return len(value.lstrip("-").replace(".", "").strip("0")) // 2 + 2
        case "B":
            return len(value)
        case "L":
            return 3 + sum(1 + _size(each) for each in value)
        case "M":
            return 3 + sum(1 + len(name.encode()) + _size(each) for name, each in value.items())
        case "SS" | "NS" | "BS" as kind:
            return sum(_size(DynamoType({kind[0]: each})) for each in value)
        case _:
            return 1
