"""The template's table on any DynamoDB-compatible store, and the stream of its changes."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import ClientError

from membrane.domain.language.json_text import JsonObject
from membrane_local.memory.database import Database
from membrane_local.refusals import StoreRefused
from membrane_local.template import Properties

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient


_STRUCTURE = (
    *("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "VectorIndexes"),
    "BillingMode",
)
"""The properties of a local table; encryption, backups and the like have no meaning here."""
_MARK = {"pk": {"S": "local-stack"}, "sk": {"S": "mark"}}


class ForeignTableError(Exception):
    """The local stack did not create the table, and so must not empty the table."""


def ensure_table(client: "DynamoDBClient", name: str, properties: Properties) -> None:
    """Create the table where absent; raises StoreRefused for a table without vector indexes."""
    with suppress(client.exceptions.ResourceNotFoundException):
        _require_vectors(client, name, properties)
        return
    definition: Any = {part: properties[part] for part in _STRUCTURE if part in properties}
    client.create_table(TableName=name, **definition, **_stream(properties))
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    client.put_item(TableName=name, Item=_MARK)
    _require_vectors(client, name, properties)


def stream_of(client: "DynamoDBClient", name: str, properties: Properties) -> str:
    """The ARN of the table's stream; a table from before streams were used gets a stream now."""
    found = client.describe_table(TableName=name)["Table"].get("LatestStreamArn")
    if found is None:
        client.update_table(TableName=name, **_stream(properties))
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        found = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    return found


def _stream(properties: Properties) -> dict[str, Any]:
    """The stream with StreamEnabled, which CloudFormation implies and DynamoDB requires."""
    return {"StreamSpecification": {"StreamEnabled": True, **properties["StreamSpecification"]}}


def _require_vectors(client: "DynamoDBClient", name: str, properties: Properties) -> None:
    found: Any = client.describe_table(TableName=name)["Table"]
    both = (properties.get("VectorIndexes", ()), found.get("VectorIndexes", ()))
    wanted, there = ({index["IndexName"] for index in each} for each in both)
    if lacking := sorted(wanted - there):
        raise StoreRefused(
            f"the table {name} has no vector index {lacking[0]}: use a store that knows vector "
            "indexes, or an empty one"
        )


def is_own_table(client: "DynamoDBClient", name: str) -> bool:
    return "Item" in client.get_item(TableName=name, Key=_MARK, ConsistentRead=True)


def items_with(client: "DynamoDBClient", name: str, attribute: str) -> Iterator[JsonObject]:
    pages = client.get_paginator("scan").paginate(
        TableName=name,
        ConsistentRead=True,
        ProjectionExpression="pk, sk, #wanted",
        FilterExpression="attribute_exists(#wanted)",
        ExpressionAttributeNames={"#wanted": attribute},
    )
    for page in pages:
        yield from page["Items"]


def empty_table(client: "DynamoDBClient", name: str, keep_partition: str) -> None:
    """Remove every item outside a partition; raises ForeignTableError for a foreign table."""
    if not is_own_table(client, name):
        raise ForeignTableError(f"the table {name} was not created by the local stack")
    kept = (keep_partition, _MARK["pk"]["S"])
    pages = client.get_paginator("scan").paginate(
        TableName=name, ConsistentRead=True, ProjectionExpression="pk, sk"
    )
    for page in pages:
        keys = [key for key in page["Items"] if key["pk"]["S"] not in kept]
        requests: Any = [{"DeleteRequest": {"Key": key}} for key in keys]
        for start in range(0, len(keys), 25):
            pending: Any = {name: requests[start : start + 25]}
            while pending:
                pending = client.batch_write_item(RequestItems=pending)["UnprocessedItems"]


@dataclass(slots=True)
class ReadChanges:
    """How far the readers of a table's stream have read."""

    database: Database
    table: str
    ends: dict[str, int] = field(default_factory=dict)
    """By reader, the number of the last change that was read; trimming waits for the slowest."""
    first_given_up: int | None = None
    """The number of the first change that a dead letter names, for a redrive."""
    watchers: list[Callable[[], object]] = field(default_factory=list)
    """Called at every erasure."""
    erasures: int = 0
    has_erased: bool = field(init=False)
    """Whether unread changes, or the log of the file, may hold erased content."""
    lock: Lock = field(default_factory=Lock)
    """Held for a change of `has_erased`."""

    def __post_init__(self) -> None:
        self.has_erased = self.database.has_erasure()

    def trim(self) -> None:
        """Forget the changes that every reader has read, and that no dead letter names."""
        erasures, has_erased = self.erasures, self.has_erased
        before = min(self.ends.values()) + 1
        if self.first_given_up is not None and not has_erased:
            before = min(before, self.first_given_up)
        left = self.database.trim(self.table, before)
        if has_erased and not left:
            with self.lock:
                if self.erasures == erasures and self.database.forget_erasures():
                    self.has_erased = False

    def note_erasure(self) -> None:
        """Keep no change for a dead letter until all changes up to now are read."""
        with self.lock:
            self.erasures += 1
            self.has_erased = True
            self.database.note_erasure()
        for tell in self.watchers:
            tell()


READ = 100
"""The most records in a read, during which the emulator serves nobody else."""
_LOST = ("TrimmedDataAccessException", "ResourceNotFoundException", "ValidationException")
"""The position is no longer in the stream, or the table has a new stream."""


class Piece(NamedTuple):
    shard: str
    records: list[JsonObject]
    """As JSON, in which form Lambda passes records on: binary values in base64."""
    end: str


@dataclass(slots=True)
class TableStream:
    """A stream and the reader's position, kept in a file for the next start of the stack.

    Records that were not marked as read are read again. After the loss of the position, all records
    still in the stream are read again.
    """

    client: "DynamoDBStreamsClient"
    arn: str
    file: Path | None = None
    read_changes: ReadChanges | None = None
    """Forgets what every reader has read; None where the store does so itself."""
    reader: str = ""
    places: dict[str, str] = field(default_factory=dict)
    """By shard, the sequence number of the last record that was read."""

    def __post_init__(self) -> None:
        if self.file is not None and self.file.exists():
            saved = json.loads(self.file.read_text())
            if saved["arn"] == self.arn:
                self.places = saved["places"]
        self._note_end()

    def for_reader(self, reader: str | None) -> "TableStream":
        """The stream with a separate position for a further reader; the same object for None."""
        if reader is None:
            return self
        file = None if self.file is None else self.file.with_name(f"{self.file.name}-{reader}")
        return replace(self, file=file, places={}, reader=reader)

    def read_next(self) -> Piece | None:
        described = self.client.describe_stream(StreamArn=self.arn)["StreamDescription"]
        for shard in described.get("Shards", ()):
            name = shard["ShardId"]
            records = self._records(name)
            if records:
                return Piece(name, records, records[-1]["dynamodb"]["SequenceNumber"])
        return None

    def mark_read(self, piece: Piece) -> None:
        self.places[piece.shard] = piece.end
        if self.file is not None:
            save(self.file, {"arn": self.arn, "places": self.places})
        self._note_end()
        if self.read_changes is not None:
            self.read_changes.trim()

    def _note_end(self) -> None:
        if self.read_changes is not None:
            end = max(map(int, self.places.values()), default=0)
            self.read_changes.ends[self.reader] = end

    def skip(self) -> None:
        while (piece := self.read_next()) is not None:
            self.mark_read(piece)

    def _records(self, shard: str) -> list[JsonObject]:
        place: Any = {"ShardIteratorType": "TRIM_HORIZON"}
        if (last := self.places.get(shard)) is not None:
            place = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        try:
            found = self.client.get_shard_iterator(StreamArn=self.arn, ShardId=shard, **place)
            reply: Any = self.client.get_records(ShardIterator=found["ShardIterator"], Limit=READ)
        except ClientError as error:
            if last is None or error.response["Error"]["Code"] not in _LOST:
                raise
            del self.places[shard]
            return self._records(shard)
        return list(reply["Records"])


def save(file: Path, value: JsonObject) -> None:
    """Write JSON; after a crash the file has the former content, or the whole new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.new")
    beside.write_text(json.dumps(value))
    beside.replace(file)
