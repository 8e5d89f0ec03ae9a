"""What a client's requests cost, as the server counts it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

READS = ("BatchGetItem", "GetItem", "Query", "Scan")


@dataclass(slots=True)
class Cost:
    """Requests, and the units that they consumed on the table and its indexes."""

    requests: int = 0
    write_units: float = 0
    read_units: float = 0
    examined_bytes: float = 0
    """What vector searches went through."""
    indexed_bytes: float = 0
    """What was written to vector indexes."""

    def __sub__(self, before: "Cost") -> "Cost":
        """What came on top of an earlier count."""
        return Cost(
            self.requests - before.requests,
            self.write_units - before.write_units,
            self.read_units - before.read_units,
            self.examined_bytes - before.examined_bytes,
            self.indexed_bytes - before.indexed_bytes,
        )

    def within(self, most: "Cost") -> bool:
        """Whether it is exactly as many requests, and no more units."""
        return (
            self.requests == most.requests
            and self.write_units <= most.write_units
            and self.read_units <= most.read_units
        )


def meter(client: "DynamoDBClient") -> Cost:
    """Count what every request of the client costs from now on."""
    cost, counting = Cost(), Lock()

    def ask(params: dict[str, Any], **_: object) -> None:
        params["ReturnConsumedCapacity"] = "INDEXES"

    def count(parsed: dict[str, Any], model: Any, **_: object) -> None:
        consumed = parsed.get("ConsumedCapacity", [])
        with counting:
            add(consumed if isinstance(consumed, list) else [consumed], model.name)

    def add(consumed: list[Any], operation: str) -> None:
        for each in consumed:
            if operation == "SearchVectors":
                cost.examined_bytes += each["VectorSearchRequestBytes"]
            elif operation in READS:
                cost.read_units += each["CapacityUnits"]
            else:
                cost.write_units += each["CapacityUnits"]
                written = each.get("VectorIndexes", {}).values()
                cost.indexed_bytes += sum(index["VectorWriteRequestBytes"] for index in written)
        cost.requests += 1

    client.meta.events.register("provide-client-params.dynamodb", ask)
    client.meta.events.register("after-call.dynamodb", count)
    return cost


def spent_by(do: Callable[[], object], spent: Cost) -> Cost:
    """What `spent`, which a meter fills, grows by."""
    before = replace(spent)
    do()
    return spent - before
