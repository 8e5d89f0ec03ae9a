"""Conditional writes, alone or as one transaction; each names the error of a failed condition."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from membrane.domain.language.json_text import JsonObject
from membrane.table.items import Item, Value


class LostRace(Exception):
    """A concurrent write came first: read and decide again. Nothing was written."""


class IdTaken(Exception):
    """A record or a tombstone has the record id already."""

    def __init__(self, record_id: str) -> None:
        super().__init__(record_id)
        self.record_id = record_id


class KeyUsed(Exception):
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


def put_next(item: Mapping[str, Value], version: int) -> Write:
    """Put an item over the given version; version 0 = the place is empty."""
    return Write("Put", lost_race, item=item, **of_version(version)) if version else put_new(item)


def of_version(version: int) -> dict[str, Any]:
    """The parameters of a Write that requires the item to have the version."""
    return as_read({"version": {"N": repr(version)}}, ["version"])


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
    """Set the attributes of `after`, and remove the others of `before`.

    Lost if an attribute of either is no longer as in `before`.
    """
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
