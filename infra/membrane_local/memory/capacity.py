"""What calls consume, as DynamoDB charges it (AWS, "Read and write request units")."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from membrane_local.memory.tables import Table, Write

Request = Mapping[str, Any]
Reply = dict[str, Any]


def read_units(size: int, request: Request) -> float:
    """A unit for each 4 KB begun; half of it for an eventually consistent read."""
    return max(1, -(-size // 4_096)) * (1.0 if request.get("ConsistentRead") else 0.5)


def read_capacity(request: Request, table: Table, units: float, index: str | None = None) -> Reply:
    """The part of a reply that says what a read consumed; empty where nobody asks."""
    of_table, of_index = (units, {}) if index is None else (0.0, {index: units})
    return _capacity(request, table, of_table, of_index, "")


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
        units = _capacity(request, table, of_table, of_indexes, kind)["ConsumedCapacity"]
        if of_vectors and request["ReturnConsumedCapacity"] == "INDEXES":
            units["VectorIndexes"] = {
                name: {"VectorWriteRequestBytes": float(number)}
                for name, number in of_vectors.items()
            }
        found.append(units)
    return found


def _capacity(
    request: Request, table: Table, of_table: float, of_indexes: Mapping[str, float], kind: str
) -> Reply:
    asked = request.get("ReturnConsumedCapacity", "NONE")
    if asked == "NONE":
        return {}

    def units(number: float) -> Reply:
        return {"CapacityUnits": float(number), **({kind: float(number)} if kind else {})}

    found = {"TableName": table.name, **units(of_table + sum(of_indexes.values()))}
    if asked == "INDEXES":
        found["Table"] = units(of_table)
        if of_indexes:
            found["GlobalSecondaryIndexes"] = {
                name: units(number) for name, number in of_indexes.items()
            }
    return {"ConsumedCapacity": found}
