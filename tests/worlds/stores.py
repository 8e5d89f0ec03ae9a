"""The stores of production over a table in memory."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import botocore.session

from membrane.adapters.bucket import S3Blobs
from membrane.adapters.dynamodb.access import DynamoKeys, DynamoRecentWrites
from membrane.adapters.dynamodb.archive.exports import DynamoExports, DynamoRestores
from membrane.adapters.dynamodb.archive.topic_restores import DynamoTopicRestores
from membrane.adapters.dynamodb.documents.store import DynamoDocuments
from membrane.adapters.dynamodb.indexes.learning import DynamoLearning
from membrane.adapters.dynamodb.indexes.names import DynamoNames
from membrane.adapters.dynamodb.indexes.orders import DynamoDue, DynamoNatural, DynamoRanks
from membrane.adapters.dynamodb.jobs import DynamoJobs
from membrane.adapters.dynamodb.records.items import Codec
from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.adapters.dynamodb.records.uploads import DynamoUploads
from membrane.adapters.dynamodb.search.answer_receipts import DynamoReceipts
from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
from membrane.domain.lifecycle.pruning import Retention
from membrane.table.blobs import BlobStore
from membrane.wiring import clients
from membrane.wiring.world import World
from membrane_local.memory.database import Database
from membrane_local.storage.clients import client_of
from membrane_local.template import read_template
from tests.fakes.bucket import FakeBlobs, FakeImports, FakeLinks
from tests.fakes.chat_models import Later, Reports
from tests.fakes.clock import BackOff, FakeClock, FakeFences, FakeSigner, counted_ids
from tests.worlds.limits import Watched, require_legal_item, watch
from tests.worlds.moto_bucket import light_bucket

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_s3 import S3Client

Item = Mapping[str, Any]

MAX_PUTS = 25
"""Items of a BatchWriteItem."""

BUCKET = "membrane-blobs"
CURVE = "steps"
TUNING = {"CustomCurves": {CURVE: [[0, 1], [1, 0.5], [4, 0]]}}
SETTINGS = {
    "MEMBRANE_TABLE": "set per test",
    "MEMBRANE_BUCKET": BUCKET,
    "MEMBRANE_TUNING": json.dumps(TUNING),
}

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
TABLE = read_template(TEMPLATE).table
STRUCTURE = (
    "AttributeDefinitions",
    "KeySchema",
    "GlobalSecondaryIndexes",
    "VectorIndexes",
    "BillingMode",
)
"""No stream: nobody reads it here."""


def definition_of(name: str) -> Any:
    """The template's table under that name."""
    return {"TableName": name, **{part: TABLE[part] for part in STRUCTURE}}


@dataclass(frozen=True, repr=False)
class Store:
    """The stores over one table in memory, with what tests need to look behind them."""

    records: DynamoRecords
    keys: DynamoKeys
    uploads: DynamoUploads
    ranks: DynamoRanks
    due: DynamoDue
    natural: DynamoNatural
    learning: DynamoLearning
    names: DynamoNames
    answers: DynamoReceipts
    recent_writes: DynamoRecentWrites
    topics: DynamoTopics
    exports: DynamoExports
    restores: DynamoRestores
    topic_restores: DynamoTopicRestores
    jobs: DynamoJobs
    documents: DynamoDocuments
    clock: FakeClock
    elsewhere: Callable[[], DynamoRecords]
    """The same records, as another execution environment sees them."""

    table: str
    blobs: BlobStore
    client: "DynamoDBClient"
    """The implementation's own client: held to DynamoDB's limits, to be tampered with."""
    inspector: "DynamoDBClient"
    """Another client, for looking at items and damaging them."""
    watched: Watched
    services: World
    """Of the implementation, with counted ids and no waiting."""
    back_off: BackOff
    under: Callable[..., World]
    """A new world over the same table, with other parts."""

    @property
    def codec(self) -> Codec:
        """What makes the items."""
        assert isinstance(self.records, DynamoRecords)
        return self.records.codec

    def everything(self) -> Sequence[Item]:
        """Every item of the table, by key."""
        pages = self.inspector.get_paginator("scan").paginate(
            TableName=self.table, ConsistentRead=True
        )
        items: list[Item] = [item for page in pages for item in page["Items"]]
        return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))

    def partition(self, partition: str) -> Sequence[Item]:
        """The items of one partition, by sort key."""
        return [item for item in self.everything() if item["pk"] == {"S": partition}]

    def own_item(self, record_id: str) -> dict[str, Any]:
        """The item of a record itself."""
        key: Any = own_key(record_id)
        return dict(
            self.inspector.get_item(TableName=self.table, Key=key, ConsistentRead=True)["Item"]
        )

    def index(self, name: str) -> Sequence[Item]:
        """Every entry of an index."""
        pages = self.inspector.get_paginator("scan").paginate(TableName=self.table, IndexName=name)
        return [item for page in pages for item in page["Items"]]

    def put_all(self, items: Sequence[Item]) -> None:
        """Put items that the implementation did not write now, 25 in a request."""
        for first in range(0, len(items), MAX_PUTS):
            puts = [{"PutRequest": {"Item": item}} for item in items[first : first + MAX_PUTS]]
            requests: Any = {self.table: puts}
            left = self.inspector.batch_write_item(RequestItems=requests)["UnprocessedItems"]
            assert not left

    def put(self, item: Item) -> None:
        """Put an item that the implementation did not write."""
        self.inspector.put_item(TableName=self.table, Item=item)

    def remove(self, item: Item) -> None:
        """Take an item away behind the implementation's back."""
        self.inspector.delete_item(TableName=self.table, Key={"pk": item["pk"], "sk": item["sk"]})


def own_key(record_id: str) -> dict[str, Any]:
    """Key of a record's own item."""
    return {"pk": {"S": f"record#{record_id}"}, "sk": {"S": "record"}}


@cache
def _session() -> botocore.session.Session:
    """One for all tests: reading a service's description takes longer than most tests."""
    return botocore.session.get_session()


@contextmanager
def bucket() -> Iterator["S3Client"]:
    """An empty, versioned bucket of moto's, in this process, and a client of it."""
    with light_bucket():
        client: S3Client = _session().create_client("s3", config=clients.CLIENT_CONFIG)  # type: ignore[assignment]  # botocore's stubs know no services
        client.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        yield client


def contents(client: "S3Client") -> list[tuple[str, bytes]]:
    """The name and the content of every version in the bucket."""
    pages = client.get_paginator("list_object_versions").paginate(Bucket=BUCKET)
    versions = [each for page in pages for each in page.get("Versions", [])]
    return [
        (
            each["Key"],
            client.get_object(Bucket=BUCKET, Key=each["Key"], VersionId=each["VersionId"])[
                "Body"
            ].read(),
        )
        for each in versions
    ]


@contextmanager
def memory_store(blobs: BlobStore | None = None) -> Iterator[Store]:
    """A table in memory, with blobs in memory or elsewhere."""
    store = table_store(blobs)
    yield store
    for item in store.everything():
        require_legal_item(item)


def _unfenced(**parts: Any) -> World:
    """A world without looks at the fences, which depend on the time since the last look."""
    return World(fences=FakeFences(), **parts)


def table_store(
    blobs: BlobStore | None = None, new_client: "Callable[[], DynamoDBClient] | None" = None
) -> Store:
    """A new table, by default in a database of its own, and a store over it."""
    clock, back_off = FakeClock(), BackOff()
    blobs = FakeBlobs() if blobs is None else blobs
    new_client = new_client or partial(client_of, Database())
    client, inspector = new_client(), new_client()
    table = f"contract-{uuid4()}"
    inspector.create_table(**definition_of(table))
    parts = {
        "environment": {**SETTINGS, "MEMBRANE_TABLE": table},
        "dynamodb": client,
        "blobs": blobs,
        "now": clock,
        "report": Reports(),
        "links": FakeLinks(),
        "imports": FakeImports(),
        "signer": FakeSigner(),
        "invoke_later": Later(),
    }

    def under(**others: Any) -> World:
        return _unfenced(**{**parts, **others})

    services = under().but(back_off=back_off, new_id=counted_ids())
    return Store(
        records=services.records,
        keys=services.keys,
        uploads=services.uploads,
        ranks=services.ranks,
        due=services.due,
        natural=DynamoNatural(client, table),
        learning=DynamoLearning(client, table),
        names=services.names,
        answers=DynamoReceipts(client, table, clock),
        recent_writes=DynamoRecentWrites(client, table, clock),
        topics=DynamoTopics(client, table, blobs, FakeFences().require_open, clock, Retention()),
        exports=services.exports,
        restores=services.restores,
        topic_restores=DynamoTopicRestores(
            client, table, blobs, FakeFences().require_open, clock, Retention()
        ),
        jobs=DynamoJobs(client, table, clock),
        documents=DynamoDocuments(
            client, table, blobs, FakeFences().require_open, clock, Retention()
        ),
        clock=clock,
        elsewhere=lambda: under().records,
        table=table,
        blobs=blobs,
        client=client,
        inspector=inspector,
        watched=watch(client),
        services=services,
        back_off=back_off,
        under=under,
    )


def blobs_in(s3: "S3Client", bucket: str) -> BlobStore:
    """The large texts and values in a bucket."""
    return S3Blobs(lambda: s3, bucket)
