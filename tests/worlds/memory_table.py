"""A new table in memory, its records as production keeps them, and what tests look at it with."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from membrane.adapters.dynamodb.erasure.fences import DynamoFences
from membrane.adapters.dynamodb.records.beside import head_in, is_receipt
from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.records.stored import AnyRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.table.blobs import BlobStore
from membrane.table.keys import FENCES
from membrane.usecases.ports.records import Head
from membrane.usecases.ports.surroundings import Clock
from membrane.wiring.world import World
from membrane_local.memory.database import Database
from membrane_local.storage.clients import client_of
from tests.fakes.bucket import FakeBlobs, FakeImports, FakeLinks
from tests.fakes.chat_models import Later, Metrics, Reports
from tests.fakes.clock import FakeSigner, StandIn
from tests.worlds.stores import definition_of

TABLE = "table"
ENVIRONMENT = {
    "MEMBRANE_TABLE": TABLE,
    "MEMBRANE_BUCKET": "bucket",
    "MEMBRANE_DUE_SHARDS": "1",  # so that a sweep has an order
}
Item = Mapping[str, Any]


@dataclass
class TableRecords(StandIn):
    """The records of a table that nothing else uses, as a store, and a look at its items."""

    now: Clock
    policy: PolicyDefaults | None = None
    bucket: BlobStore | None = None
    store: DynamoRecords = field(init=False)
    services: World = field(init=False)

    def __post_init__(self) -> None:
        client = client_of(Database())
        client.create_table(**definition_of(TABLE))
        own = {"policy": self.policy} if self.policy else {}
        self.services = World(
            environment=ENVIRONMENT,
            dynamodb=client,
            blobs=self.bucket or FakeBlobs(self.now),
            now=self.now,
            report=Reports(),
            measure=Metrics(),
            links=FakeLinks(),
            imports=FakeImports(),
            signer=FakeSigner(),
            fences=DynamoFences(client, TABLE, lambda: epoch_seconds(self.now())),
            invoke_later=Later(),
            **own,
        )
        self.policy = self.services.policy
        self.store = self.services.records

    def __getattr__(self, name: str) -> Any:
        if name == "store":  # before the end of __post_init__
            raise AttributeError(name)
        return getattr(self.store, name)

    def everything(self) -> Sequence[Item]:
        """Every item of the table, by key."""
        pages = self.client.get_paginator("scan").paginate(
            TableName=self.table, ConsistentRead=True
        )
        items = [item for page in pages for item in page["Items"]]
        return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the records, also of removed records whose tombstones stand."""
        now_s = epoch_seconds(self.now())
        return [
            each["pk"]["S"].removeprefix("record#")
            for each in self.everything()
            if each["sk"] == {"S": "record"}
            and not is_receipt(each)
            and float(each.get("expires_at", {"N": "inf"})["N"]) > now_s
        ]

    @property
    def values(self) -> Mapping[LargeValue, bytes]:
        """The large values in the bucket, by record."""
        names = [each.name.split("/") for each in self.store.blobs.list_blobs()]
        sought = [LargeValue(record_id, sha256, 0) for _, record_id, sha256 in names]
        contents = [self.store.value(each) for each in sought]
        return {
            LargeValue(each.record_id, each.sha256, len(content)): content
            for each, content in zip(sought, contents, strict=True)
        }

    @property
    def places(self) -> "Places":
        """The records and tombstones by id."""
        return Places(self)

    @property
    def heads(self) -> Sequence[Head]:
        """The heads, each with the holders that it names."""
        return [
            head_in(bytes.fromhex(each["pk"]["S"].removeprefix("head#")), each)
            for each in self.everything()
            if each["pk"]["S"].startswith("head#") and "holders" in each
        ]

    @property
    def due(self) -> Mapping[str, float]:
        """By record id when the index has it due."""
        return {
            each["pk"]["S"].removeprefix("record#"): float(each["due_sk"]["N"])
            for each in self.everything()
            if each["sk"] == {"S": "record"} and "due_sk" in each
        }

    def remove_partition(self, partition: str) -> None:
        """Take the items of a partition away."""
        found = self.client.query(
            TableName=self.table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": partition}},
        )
        for item in found["Items"]:
            key = {"pk": item["pk"], "sk": item["sk"]}
            self.client.delete_item(TableName=self.table, Key=key)

    def fence(self, scope: str) -> None:
        """Fence the scope, as an erasure does."""
        item = {"pk": {"S": FENCES}, "sk": {"S": "erasure-1"}, "scope": {"S": scope}}
        self.client.put_item(TableName=self.table, Item=item)


@dataclass(frozen=True)
class Places(MutableMapping[str, AnyRecord]):
    """The records of a table by id, to be changed behind the back of the store."""

    records: TableRecords

    def __getitem__(self, record_id: str) -> AnyRecord:
        held: AnyRecord | None = self.records.store.load(record_id, whole=True)
        if held is None:
            raise KeyError(record_id)
        return held

    def __setitem__(self, record_id: str, held: AnyRecord) -> None:
        """Let the record stand there, whatever its version."""
        del self[record_id]
        self.records.services.restores.restore_record(held, {})

    def __delitem__(self, record_id: str) -> None:
        self.records.remove_partition(f"record#{record_id}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.records.ids)

    def __len__(self) -> int:
        return len(self.records.ids)


@dataclass
class Over(StandIn):
    """A port over another port; passes on what a subclass does not define."""

    inner: Any

    def __getattr__(self, name: str) -> Any:
        if name == "inner":  # before the end of __init__
            raise AttributeError(name)
        return getattr(self.inner, name)
