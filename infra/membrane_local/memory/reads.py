"""The calls of DynamoDB for reading items, and the consumption of calls."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zlib import crc32

from membrane_local.memory.attributes import (
    Item,
    bad_value,
    invalid,
    item_bytes,
    kind_of,
    legal_values,
    sortable,
)
from membrane_local.memory.expressions import Expressions
from membrane_local.memory.parser import Comparison
from membrane_local.memory.tables import AFTER_ALL, MAX_SORT_KEY_BYTES, Index, Table, Write

Request = Mapping[str, Any]
Reply = dict[str, Any]


def read_units(size: int, request: Request) -> float:
    """A unit for each 4 KB begun; half of it for an eventually consistent read."""
    return max(1, -(-size // 4_096)) * (1.0 if request.get("ConsistentRead") else 0.5)


def read_capacity(request: Request, table: Table, units: float, index: str | None = None) -> Reply:
    """The part of a reply about the units of a read; empty where nobody asks."""
    if request.get("ReturnConsumedCapacity", "NONE") == "NONE":
        return {}
    of_table, of_index = (units, {}) if index is None else (0.0, {index: units})
    return {"ConsumedCapacity": _capacity(request, table, of_table, of_index)}


def write_capacity(request: Request, writes: Sequence[Write], factor: int) -> list[Reply]:
    """What the writes consumed, by table; the factor is the price of a transaction."""
    if request.get("ReturnConsumedCapacity", "NONE") == "NONE":
        return []
    found = []
    for table in {id(each.table): each.table for each in writes}.values():
        of_table, of_indexes, of_vectors = 0, Counter[str](), Counter[str]()
        for write in writes:
            if write.table is table:
                own, others = write.units()
                of_table += own * factor
                of_indexes.update(others)
                of_vectors.update(write.vector_bytes())
        kind = "WriteCapacityUnits" if factor > 1 else ""
        units = _capacity(request, table, of_table, of_indexes, kind)
        if of_vectors and request["ReturnConsumedCapacity"] == "INDEXES":
            units["VectorIndexes"] = {
                name: {"VectorWriteRequestBytes": float(number)}
                for name, number in of_vectors.items()
            }
        found.append(units)
    return found


def _capacity(
    request: Request, table: Table, of_table: float, of_indexes: Mapping[str, float], kind: str = ""
) -> Reply:
    def units(number: float) -> Reply:
        return {"CapacityUnits": float(number), **({kind: float(number)} if kind else {})}

    found = {"TableName": table.name, **units(of_table + sum(of_indexes.values()))}
    if request["ReturnConsumedCapacity"] == "INDEXES":
        found["Table"] = units(of_table)
        if of_indexes:
            indexes = {name: units(number) for name, number in of_indexes.items()}
            found["GlobalSecondaryIndexes"] = indexes
    return found


MAX_KEYS = 100
MAX_BATCH_BYTES = 16 * 1024 * 1024
MAX_PAGE_BYTES = 1024 * 1024
Find = Callable[[str], Table]
"""Gives the table of a name, or of an ARN; raises Refused."""


def get_item(request: Request, find: Find) -> Reply:
    table, expressions = find(request["TableName"]), Expressions(request)
    project = expressions.projection()
    expressions.require_used()
    image = table.items.get(table.key_of(legal_values(request["Key"])))
    reply: Reply = {"Item": project(image.item())} if image else {}
    units = read_units(image.size if image else 0, request)
    return {**reply, **read_capacity(request, table, units)}


def batch_get_item(request: Request, find: Find) -> Reply:
    asked: Mapping[str, Any] = request["RequestItems"]
    if not 1 <= sum(len(each["Keys"]) for each in asked.values()) <= MAX_KEYS:
        raise invalid("Too many items requested for the BatchGetItem call")
    found: dict[str, list[Item]] = {}
    left: dict[str, Any] = {}
    capacity: list[Any] = []
    size = 0
    for name, of_table in asked.items():
        table, expressions = find(name), Expressions(of_table)
        project = expressions.projection()
        expressions.require_used()
        keys = [table.key_of(legal_values(key)) for key in of_table["Keys"]]
        if len(set(keys)) < len(keys):
            raise invalid("Provided list of item keys contains duplicates")
        items, unread, units = [], [], 0.0
        for key, as_asked in zip(keys, of_table["Keys"], strict=True):
            image = table.items.get(key)
            size += image.size if image else 0
            if size > MAX_BATCH_BYTES:
                unread.append(as_asked)
                continue
            units += read_units(image.size if image else 0, of_table)
            if image:
                items.append(project(image.item()))
        found[name] = items
        if unread:
            left[name] = {**of_table, "Keys": unread}
        capacity += read_capacity(request, table, units).values()
    reply: Reply = {"Responses": found, "UnprocessedKeys": left}
    return {**reply, "ConsumedCapacity": capacity} if capacity else reply


def query(request: Request, find: Find) -> Reply:
    table, expressions = find(request["TableName"]), Expressions(request)
    index = table.index(request.get("IndexName"))
    asked = _key_conditions(index, expressions)
    low: tuple[Any, ...] = ()
    high: tuple[Any, ...] = ()
    for name in index.schema[: len(asked)]:
        values = [expressions.values[value] for value in asked[name].values]
        if any(kind_of(value) != table.types[name] for value in values):
            raise bad_value("Condition parameter type does not match schema type")
        low, high = _bounds(low, asked[name].operator, [sortable(each) for each in values])
    positions = range(bisect_left(index.entries, low), bisect_left(index.entries, high))
    if request.get("ScanIndexForward") is False:
        positions = positions[::-1]
    return _page(request, table, index, expressions, positions)


def scan(request: Request, find: Find) -> Reply:
    table, expressions = find(request["TableName"]), Expressions(request)
    index = table.index(request.get("IndexName"))
    return _page(request, table, index, expressions, range(len(index.entries)))


def _page(
    request: Request, table: Table, index: Index, expressions: Expressions, positions: range
) -> Reply:
    """The items at the positions of an index, up to a limit, or to a megabyte."""
    is_wanted = expressions.condition("FilterExpression")
    project = expressions.projection()
    expressions.require_used()
    _require_legal_page(request, index, expressions)
    segments = request.get("TotalSegments", 1)
    asked = set[str]().union(*expressions.attributes.values())
    is_part = index.name is None and "ProjectionExpression" in request
    with_vectors = index.projection["ProjectionType"] == "ALL" and not (
        is_part and asked.isdisjoint(table.vectors)
    )
    limit = request.get("Limit") or len(positions) + 1
    if (start := request.get("ExclusiveStartKey")) is not None:
        positions = _after(index, table, start, positions)
    found: list[Item] = []
    scanned, size, last, is_whole = 0, 0, None, True
    for position in positions:
        entry = index.entries[position]
        if segments > 1 and crc32(str(entry[0]).encode()) % segments != request["Segment"]:
            continue
        if scanned == limit:
            is_whole = False
            break
        key = entry[-len(table.keys) :]
        image = table.items[key]
        item = index.project(image.item() if with_vectors else image.rest(), table.keys)
        bytes_ = image.size if index.name is None else item_bytes(item)
        if scanned and size + bytes_ > MAX_PAGE_BYTES:
            is_whole = False
            break
        scanned += 1
        size += bytes_
        last = item
        if is_wanted is None or is_wanted(item):
            found.append(project(item))
    reply: Reply = {"Count": len(found), "ScannedCount": scanned}
    if request.get("Select") != "COUNT":
        reply["Items"] = found
    if last is not None and (not is_whole or scanned == limit):
        names = dict.fromkeys((*index.schema, *table.keys))
        reply["LastEvaluatedKey"] = {name: last[name] for name in names}
    units = read_units(size, request)
    return {**reply, **read_capacity(request, table, units, index.name)}


def search_vectors(request: Request, find: Find) -> Reply:
    table, expressions = find(request["TableName"]), Expressions(request)
    index = table.vector_index(request["IndexName"])
    found, examined = index.search(request["SearchVector"], request["TopK"], expressions)
    reply: Reply = {"SearchResults": found}
    if request.get("ReturnConsumedCapacity", "NONE") != "NONE":
        reply["ConsumedCapacity"] = {"VectorSearchRequestBytes": float(examined)}
    return reply


def _key_conditions(index: Index, expressions: Expressions) -> Mapping[str, Comparison]:
    """The conditions of the partition's key and perhaps of the sort key; raises Refused."""
    parameter = "KeyConditionExpression"
    asked: dict[str, Comparison] = {}
    for each in expressions.comparisons(parameter):
        if each.name in asked:
            raise invalid(f"{parameter}s must only contain one condition per key")
        asked[each.name] = each
    if len(asked) > len(index.schema):
        raise invalid("Conditions can be of length 1 or 2 only")
    for name in index.schema[: len(asked)]:
        if name not in asked:
            raise invalid(f"Query condition missed key schema element: {name}")
    if not asked or asked[index.schema[0]].operator != "=":
        raise invalid("Query key condition not supported")
    return asked


def _bounds(
    partition: tuple[Any, ...], operator: str, contents: Sequence[Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    first, last = (*partition, contents[0]), (*partition, contents[-1])
    behind, end = (*last, AFTER_ALL), (*partition, AFTER_ALL)
    match operator:
        case "BETWEEN" if contents[0] > contents[-1]:
            raise invalid(
                "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to "
                "be greater than or equal to lower bound"
            )
        case "=" | "BETWEEN":
            return first, behind
        case "<":
            return partition, last
        case "<=":
            return partition, behind
        case ">":
            return behind, end
        case ">=":
            return first, end
        case "begins_with" if not isinstance(contents[0], bytes):
            raise invalid("Invalid KeyConditionExpression: begins_with takes no number")
        case "begins_with":
            return first, (*partition, contents[0] + b"\xff" * MAX_SORT_KEY_BYTES, AFTER_ALL)
        case _:
            raise invalid("Query key condition not supported")


def _after(index: Index, table: Table, start: Item, positions: range) -> range:
    """The positions behind the last key of the former page; raises Refused."""
    wanted = {*index.schema, *table.keys}
    if start.keys() != wanted or any(kind_of(start[each]) != table.types[each] for each in wanted):
        raise invalid("The provided starting key is invalid")
    key = tuple(sortable(start[name]) for name in table.keys)
    entry = index.entry(start, key) or key
    if positions.step < 0:
        return range(
            min(positions.start, bisect_left(index.entries, entry) - 1), positions.stop, -1
        )
    return range(max(positions.start, bisect_right(index.entries, entry)), positions.stop)


def _require_legal_page(request: Request, index: Index, expressions: Expressions) -> None:
    if request.get("Limit", 1) < 1:
        raise invalid(
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member "
            "must have value greater than or equal to 1"
        )
    if index.name is not None and request.get("ConsistentRead"):
        raise invalid("Consistent reads are not supported on global secondary indexes")
    filtered: set[str] = expressions.attributes.get("FilterExpression", set())
    if "KeyConditionExpression" in request and (keys := sorted(filtered & set(index.schema))):
        raise invalid(
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: "
            f"{keys[0]}"
        )
