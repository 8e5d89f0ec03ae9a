"""Items: DynamoDB's types, and checked reads of attribute values and of JSON texts.

Every `read_` function raises CorruptItem for an attribute that is absent or of a different type.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from membrane.domain.language.timestamps import from_epoch_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import AttributeValueTypeDef, QueryInputTypeDef

    Client = DynamoDBClient
    Query = QueryInputTypeDef
    Value = AttributeValueTypeDef
    Item = Mapping[str, AttributeValueTypeDef]
else:  # the layer ships no types
    Client = Query = Value = Item = Any

Word = TypeVar("Word")
Parsed = TypeVar("Parsed", dict[str, Any], list[Any])

KEY_ATTRIBUTES = ("pk", "sk")
BORN = "born"
"""The creation time of the record that an edge or older audit entries belong to."""

WRITE_UNIT_BYTES = 1024


class CorruptItem(Exception):
    """An item that this service did not write, or a damaged item; the message names the key.

    Not a DomainError: the failure must reach the error metric, never pass for an empty answer.
    """

    def __init__(self, item: Item, reason: str) -> None:
        key = {name: item.get(name) for name in KEY_ATTRIBUTES}
        super().__init__(f"item {key}: {reason}")


def text(value: str) -> Value:
    return {"S": value}


def number(value: float) -> Value:
    """An attribute that reads back as the same float or integer."""
    return {"N": repr(value)}


def binary(value: bytes) -> Value:
    return {"B": value}


def read_text(item: Item, name: str) -> str:
    return str(_value_of(item, name, "S"))


def read_number(item: Item, name: str) -> float:
    return float(_value_of(item, name, "N"))


def read_integer(item: Item, name: str) -> int:
    """Raises CorruptItem for a number that is not whole, too."""
    try:
        return int(_value_of(item, name, "N"))
    except ValueError as error:
        raise CorruptItem(item, f"{name} is not a whole number") from error


def read_instant(item: Item, name: str) -> datetime:
    """Seconds since 1970 as an instant; raises CorruptItem outside the calendar, too."""
    try:
        return from_epoch_seconds(read_number(item, name))
    except (OverflowError, ValueError) as error:
        raise CorruptItem(item, f"{name} is no instant") from error


def read_binary(item: Item, name: str) -> bytes:
    return bytes(_value_of(item, name, "B"))


def read_word(item: Item, name: str, words: "Callable[[str], Word]") -> Word:
    """A word of an enumeration; raises CorruptItem for any other text."""
    try:
        return words(read_text(item, name))
    except ValueError as error:
        raise CorruptItem(item, f"{name} is no word of ours") from error


def read_words(item: Item, name: str) -> frozenset[str]:
    return frozenset(_value_of(item, name, "SS"))


def parse_text(item: Item, name: str, content: str, expected: type[Parsed]) -> Parsed:
    """The JSON value of a text; raises CorruptItem for a value of a different type."""
    try:
        value = json.loads(content)
    except ValueError as error:
        raise CorruptItem(item, f"{name} is not JSON") from error
    if not isinstance(value, expected):
        raise CorruptItem(item, f"{name} is not the JSON that was expected")
    return value


def key_in(item: Item) -> dict[str, Value]:
    """The key of an item, for a request."""
    return {name: item[name] for name in KEY_ATTRIBUTES}


def place_in(item: Item) -> tuple[str, str]:
    """Partition and sort key of an item."""
    return read_text(item, "pk"), read_text(item, "sk")


def is_expired(item: Item, now_s: float) -> bool:
    """Whether the item has expired; TTL removes an item up to two days late."""
    return "expires_at" in item and read_number(item, "expires_at") <= now_s


@contextmanager
def raising_corrupt_item(item: Item) -> Iterator[None]:
    """Raise CorruptItem with the item's key for content that the models refuse."""
    try:
        yield
    except ValidationError as error:
        places = [".".join(map(str, finding["loc"])) for finding in error.errors()]
        raise CorruptItem(item, f"not a record of ours: {', '.join(places[:5])}") from error


def size_of(item: Item) -> int:
    """Bytes that DynamoDB counts for an item of strings, numbers, binaries and maps.

    A number counts half a byte a digit plus one byte (AWS, "DynamoDB Item sizes and formats").
    """
    total = 0
    for name, value in item.items():
        ((kind, content),) = value.items()
        total += len(name.encode()) + _size(kind, content)
    return total


def _size(kind: str, content: Any) -> int:
    match kind:
        case "S":
            return len(content.encode())
        case "B":
            return len(content)
        case "N":
            return len(content) // 2 + 2
        case "M":
            return 3 + size_of(content)
        case _:
            raise TypeError("an attribute of a type that no item has")


def _value_of(item: Item, name: str, kind: str) -> Any:
    try:
        return item[name][kind]  # type: ignore[literal-required]  # one of S, N, B, SS
    except KeyError as error:
        raise CorruptItem(item, f"{name} is absent or not of type {kind}") from error
