"""A table's stream: every change, in order."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from membrane_local.memory.attributes import Image, Item, Refused, invalid

MAX_RECORDS = 1_000
SHARD = "shardId-00000000000000000001-00000001"


class Changed(NamedTuple):
    number: int
    at_s: float
    keys: Item
    before: Image | None
    after: Image | None

    def as_kept(self) -> dict[str, Any]:
        before, after = (each and each.item() for each in (self.before, self.after))
        return {"at_s": self.at_s, "keys": self.keys, "before": before, "after": after}


@dataclass(slots=True)
class Stream:
    arn: str
    view: str
    changes: deque[Changed] = field(default_factory=deque)
    last_number: int = 0
    """Changes are numbered from 1 on."""

    @property
    def first_number(self) -> int:
        return self.changes[0].number if self.changes else self.last_number + 1

    def add(self, changed: Changed) -> None:
        self.changes.append(changed)
        self.last_number = changed.number

    def trim(self, before: int) -> None:
        while self.changes and self.changes[0].number < before:
            self.changes.popleft()

    def describe(self, table: str, schema: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        return {
            "StreamArn": self.arn,
            "StreamLabel": self.arn.rpartition("/")[2],
            "StreamStatus": "ENABLED",
            "StreamViewType": self.view,
            "TableName": table,
            "KeySchema": schema,
            "Shards": [
                {
                    "ShardId": SHARD,
                    "SequenceNumberRange": {"StartingSequenceNumber": _text(self.first_number)},
                }
            ],
        }

    def iterator(self, asked: Mapping[str, Any]) -> str:
        """A position; raises Refused for a change outside the stream."""
        if asked["ShardId"] != SHARD:
            raise Refused("ResourceNotFoundException", "Requested resource not found: Shard")
        match asked["ShardIteratorType"]:
            case "TRIM_HORIZON":
                number = self.first_number
            case "LATEST":
                number = self.last_number + 1
            case kind:
                number = int(asked["SequenceNumber"]) + (kind == "AFTER_SEQUENCE_NUMBER")
                if number > self.last_number + 1:
                    raise invalid("Invalid SequenceNumber")
                if number < self.first_number:
                    raise Refused("TrimmedDataAccessException", "The records have been trimmed")
        return f"{self.arn}|{number}"

    def read(self, number: int, limit: int) -> tuple[list[dict[str, Any]], str]:
        """The records from a number on, and the position after them."""
        skipped = max(0, number - self.first_number)
        found = list(islice(self.changes, skipped, skipped + min(limit, MAX_RECORDS)))
        after = found[-1].number + 1 if found else max(number, self.first_number)
        return [self._record(each) for each in found], f"{self.arn}|{after}"

    def _record(self, changed: Changed) -> dict[str, Any]:
        before, after = changed.before, changed.after
        described: dict[str, Any] = {
            "ApproximateCreationDateTime": int(changed.at_s),
            "Keys": changed.keys,
            "SequenceNumber": _text(changed.number),
            "SizeBytes": sum(each.size for each in (before, after) if each),
            "StreamViewType": self.view,
        }
        if after and "NEW" in self.view:
            described["NewImage"] = after.item()
        if before and "OLD" in self.view:
            described["OldImage"] = before.item()
        return {
            "eventID": _text(changed.number),
            "eventName": "REMOVE" if after is None else "MODIFY" if before else "INSERT",
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": self.arn.split(":")[3],
            "dynamodb": described,
        }


def _text(number: int) -> str:
    """A sequence number as DynamoDB writes them: at least 21 digits, so that texts sort."""
    return f"{number:021}"
