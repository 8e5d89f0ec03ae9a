"""Items: DynamoDB's types, checked reads of values and of JSON texts, and conditional writes.

Every `read_` function raises CorruptItem for an attribute that is absent or of a different type.
Every write names the error of its failed condition; `dynamo` does a write alone or with others.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from pydantic import ValidationError

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import from_epoch_seconds

if TYPE_CHECKING:
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
    """Raise CorruptItem with the item's key for content of an unexpected shape."""
    try:
        yield
    except ValidationError as error:
        places = [".".join(map(str, finding["loc"])) for finding in error.errors()]
        raise CorruptItem(item, f"not a record of ours: {', '.join(places[:5])}") from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        reason = f"not of the shape that was expected ({type(error).__name__})"
        raise CorruptItem(item, reason) from error


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


class NotWritten(Exception):
    """The condition of a write failed: nothing was written."""


class LostRace(NotWritten):
    """A concurrent write came first: read and decide again."""


class IdTaken(NotWritten):
    """A record or a tombstone has the record id already."""

    def __init__(self, record_id: str) -> None:
        super().__init__(record_id)
        self.record_id = record_id


class KeyUsed(NotWritten):
    """The idempotency key has a receipt: an earlier call wrote `record_id` under the key."""

    def __init__(self, record_id: str, fingerprint: bytes) -> None:
        super().__init__(record_id)
        self.record_id = record_id
        self.fingerprint = fingerprint


MAX_TOGETHER = 100
"""Actions of one transaction (AWS, `TransactWriteItems`)."""

Refusal = Callable[[Item], Exception]
"""Makes the error of a failed condition from the existing item (empty if absent)."""


NO_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({})


def lost_race(_item: Item) -> Exception:
    """The refusal of a write that has to come first."""
    return LostRace()


class Write(NamedTuple):
    """One action on one item; without a condition only beside a conditional write."""

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    refusal: Refusal
    condition: str = ""
    item: Mapping[str, Value] = NO_ATTRIBUTES
    """The whole item of a Put."""
    key: Mapping[str, Value] = NO_ATTRIBUTES
    """The key of the other actions."""
    update: str = ""
    names: Mapping[str, str] = NO_ATTRIBUTES
    values: Mapping[str, Value] = NO_ATTRIBUTES

    def request(self, table: str) -> dict[str, Any]:
        request: dict[str, Any] = {"TableName": table}
        if self.condition:
            request["ConditionExpression"] = self.condition
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if self.action == "Put":
            request["Item"] = self.item
        else:
            request["Key"] = self.key
        if self.update:
            request["UpdateExpression"] = self.update
        if self.names:
            request["ExpressionAttributeNames"] = self.names
        if self.values:
            request["ExpressionAttributeValues"] = self.values
        return request


def put_new(item: Mapping[str, Value], refusal: Refusal = lost_race) -> Write:
    """Put an item in an empty place."""
    return Write("Put", refusal, "attribute_not_exists(pk)", item=item)


def put_next(item: Mapping[str, Value], before: float, counter: str = "version") -> Write:
    """Put an item over the item whose counter is as read; 0 = the place is empty."""
    if not before:
        return put_new(item)
    return Write("Put", lost_race, item=item, **as_read({counter: number(before)}, [counter]))


def of_version(version: int) -> dict[str, Any]:
    """The parameters of a Write that requires the item to have the version."""
    return as_read({"version": number(version)}, ["version"])


def as_read(before: Item, names: Iterable[str]) -> dict[str, Any]:
    """The parameters of a Write that requires the attributes of the names to be as in `before`."""
    read = [*names]
    return {
        "condition": " AND ".join(
            f"#{each} = :{each}" if each in before else f"attribute_not_exists(#{each})"
            for each in read
        ),
        "names": {f"#{each}": each for each in read},
        "values": {f":{each}": before[each] for each in read if each in before},
    }


def change_attributes(key: Mapping[str, Value], before: Item, after: Item) -> Write:
    """Set the attributes of `after`, remove the others; lost unless all are as before."""
    expected = as_read(before, dict.fromkeys([*before, *after]))
    expected["values"] |= {f":new_{each}": after[each] for each in after}
    sets = ", ".join(f"#{each} = :new_{each}" for each in after)
    removes = ", ".join(f"#{each}" for each in before if each not in after)
    update = [f"SET {sets}"] if sets else []
    update += [f"REMOVE {removes}"] if removes else []
    return Write("Update", lost_race, key=key, update=" ".join(update), **expected)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A stored document and the version to replace: the progress or the result of a job."""

    progress: JsonObject
    revision: int


SAME_ENTITY = f"attribute_not_exists(pk) OR {BORN} = :born"
"""The place beside is empty, or holds an item of the entity created at `:born`."""


def removal_of(key: Item, born_s: float) -> Write:
    """The removal of an item of the entity created at `born_s`, unless a younger one has put it."""
    place = {name: key[name] for name in KEY_ATTRIBUTES}
    return Write("Delete", lost_race, SAME_ENTITY, key=place, values={":born": number(born_s)})
