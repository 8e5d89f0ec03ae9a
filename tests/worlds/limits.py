"""DynamoDB's own limits, asserted on every request, whatever an emulator lets pass.

The numbers are those of AWS, "Quotas in Amazon DynamoDB"; the sizes those of "DynamoDB item sizes
and formats".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

Attributes = Mapping[str, Any]

MAX_PARTITION_KEY_BYTES = 2_048
MAX_SORT_KEY_BYTES = 1_024
MAX_ITEM_BYTES = 409_600
MAX_EXPRESSION_BYTES = 4_096
MAX_NESTING = 32
MAX_ACTIONS = 100
MAX_KEYS = 100
MAX_NEAREST = 100
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
MAX_DIGITS = 38
SMALLEST, LARGEST = Decimal("1e-130"), Decimal("9.9999999999999999999999999999999999999e125")

PARTITION_KEYS = ("pk", "rank_pk", "due_pk", "natural_pk", "learn_pk", "thread_pk")
KEY_TYPES = {
    "pk": "S",
    "sk": "S",
    "rank_pk": "S",
    "rank_sk": "N",
    "due_pk": "S",
    "due_sk": "N",
    "natural_pk": "B",
    "natural_sk": "N",
    "learn_pk": "S",
    "learn_sk": "S",
    "thread_pk": "S",
    "thread_sk": "S",
}
READS = ("GetItem", "Query", "Scan")
WRITES = ("PutItem", "UpdateItem", "DeleteItem")
SPECIAL = ("TransactWriteItems", "BatchGetItem", "SearchVectors")


@dataclass(slots=True)
class Watched:
    """The requests that a client has made, each within the limits."""

    requests: list[tuple[str, Attributes]] = field(default_factory=list)

    def operations(self) -> list[str]:
        """The names of the operations called, in order."""
        return [operation for operation, _ in self.requests]


def watch(client: "DynamoDBClient") -> Watched:
    """Check every request of the client from now on, and every item that an update leaves."""
    watched = Watched()

    def before(params: dict[str, Any], model: Any, **_: object) -> None:
        require_legal(model.name, params)
        watched.requests.append((model.name, dict(params)))
        if model.name == "UpdateItem":
            params.setdefault("ReturnValues", "ALL_NEW")

    def after(parsed: dict[str, Any], **_: object) -> None:
        if "Attributes" in parsed:
            require_legal_item(parsed["Attributes"])

    client.meta.events.register("provide-client-params.dynamodb", before)
    client.meta.events.register("after-call.dynamodb.UpdateItem", after)
    return watched


def require_legal(operation: str, params: Attributes) -> None:
    """Fails for a request that DynamoDB would refuse, or that this project never makes."""
    assert operation in (*READS, *WRITES, *SPECIAL), f"{operation} is not used here"
    if operation in READS:
        assert "ConsistentRead" in params, "ConsistentRead is spelled out"
    if operation in WRITES:
        assert params.get("ConditionExpression"), "a write alone is conditional"
    match operation:
        case "TransactWriteItems":
            _require_legal_transaction(params["TransactItems"])
        case "BatchGetItem":
            _require_legal_batch(params["RequestItems"])
        case "SearchVectors":
            assert 1 <= params["TopK"] <= MAX_NEAREST, f"{params['TopK']} nearest vectors"
            _require_legal_action(params)
        case _:
            _require_legal_action(params)


def require_legal_item(item: Attributes) -> None:
    """Fails for an item that DynamoDB would not store."""
    assert item_bytes(item) <= MAX_ITEM_BYTES, f"an item of {item_bytes(item)} bytes"
    _require_legal_attributes(item)


def item_bytes(item: Attributes) -> int:
    """What DynamoDB counts for an item: names and values."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _require_legal_transaction(actions: list[Attributes]) -> None:
    assert 1 <= len(actions) <= MAX_ACTIONS, f"{len(actions)} actions in a transaction"
    bodies = [body for action in actions for body in action.values()]
    places = [(body["TableName"], *_place(body)) for body in bodies]
    assert len(set(places)) == len(places), "two actions of a transaction on one item"
    assert any("ConditionExpression" in body for body in bodies), "a transaction is conditional"
    size = sum(
        item_bytes(body.get("Item", body.get("Key", {})))
        + sum(map(_value_bytes, body.get("ExpressionAttributeValues", {}).values()))
        for body in bodies
    )
    assert size <= MAX_TRANSACTION_BYTES, f"a transaction of {size} bytes"
    for body in bodies:
        _require_legal_action(body)


def _require_legal_batch(asked: Attributes) -> None:
    assert 1 <= sum(len(of_table["Keys"]) for of_table in asked.values()) <= MAX_KEYS
    for of_table in asked.values():
        assert "ConsistentRead" in of_table, "ConsistentRead is spelled out"
        places = [_place({"Key": key}) for key in of_table["Keys"]]
        assert len(set(places)) == len(places), "a key comes twice"
        for key in of_table["Keys"]:
            _require_legal_attributes(key)


def _place(body: Attributes) -> tuple[str, str]:
    holder = body.get("Item") or body["Key"]
    return holder["pk"]["S"], holder["sk"]["S"]


def _require_legal_action(body: Attributes) -> None:
    if "Item" in body:
        require_legal_item(body["Item"])
    _require_legal_attributes(body.get("Key", {}))
    _require_legal_attributes(body.get("ExpressionAttributeValues", {}))
    for name, expression in body.items():
        if name.endswith("Expression"):
            assert len(expression.encode()) <= MAX_EXPRESSION_BYTES, f"{name} is too long"


def _require_legal_attributes(attributes: Attributes) -> None:
    for name, value in attributes.items():
        for kind, content, depth in _scalars(value):
            assert depth <= MAX_NESTING, f"{name} is nested too deeply"
            if kind == "N":
                _require_legal_number(name, content)
        if name in KEY_TYPES:
            _require_legal_key(name, value)


def _require_legal_key(name: str, value: Attributes) -> None:
    assert list(value) == [KEY_TYPES[name]], f"{name} is of type {list(value)}"
    if KEY_TYPES[name] == "N":
        return
    limit = MAX_PARTITION_KEY_BYTES if name in PARTITION_KEYS else MAX_SORT_KEY_BYTES
    size = _value_bytes(value)
    assert 1 <= size <= limit, f"{name} has {size} bytes"


def _require_legal_number(name: str, written: str) -> None:
    number = Decimal(written)
    assert number.is_finite(), f"{name} is {written}"
    assert len(number.normalize().as_tuple().digits) <= MAX_DIGITS, f"{name}: digits of {written}"
    assert not number or SMALLEST <= abs(number) <= LARGEST, f"{name}: magnitude of {written}"


def _scalars(value: Attributes, depth: int = 0) -> Iterator[tuple[str, str, int]]:
    for kind, content in value.items():
        match kind:
            case "M":
                for inner in content.values():
                    yield from _scalars(inner, depth + 1)
            case "L":
                for inner in content:
                    yield from _scalars(inner, depth + 1)
            case "SS" | "NS" | "BS":
                assert content, "an empty set"
                yield from ((kind[0], element, depth) for element in content)
            case _:
                yield kind, content, depth


def _value_bytes(value: Attributes) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "B":
            return len(content)
        case "N":
            return _number_bytes(content)
        case "M":
            return 3 + len(content) + item_bytes(content)
        case "L":
            return 3 + len(content) + sum(map(_value_bytes, content))
        case "SS" | "NS" | "BS":
            return sum(_value_bytes({kind[0]: element}) for element in content)
        case _:
            return 1  # a boolean or null


def _number_bytes(written: str) -> int:
    """A byte for two significant digits, one more, and one for a sign."""
    number = Decimal(written).normalize()
    digits = len(number.as_tuple().digits)
    return (digits + 1) // 2 + 1 + (number < 0)
