"""The implementations that the store contract is run against."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import botocore.session

from membrane.adapters.bucket.s3 import S3Blobs
from membrane.adapters.dynamodb.access.recent_writes import DynamoRecentWrites
from membrane.adapters.dynamodb.archive.topic_restores import DynamoTopicRestores
from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.adapters.dynamodb.indexes.learning import DynamoLearning
from membrane.adapters.dynamodb.indexes.natural import DynamoNatural
from membrane.adapters.dynamodb.records.items import Codec
from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.adapters.dynamodb.search.answer_receipts import DynamoReceipts
from membrane.adapters.dynamodb.study.studies import DynamoStudies
from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
from membrane.domain.lifecycle.retention import Retention
from membrane.usecases.erasure.fenced_stores import unfenced_records
from membrane.usecases.ports.archive import ExportStore, RestoreStore
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.documents import DocumentStore
from membrane.usecases.ports.indexes import DueIndex, NaturalIndex, RankIndex
from membrane.usecases.ports.keys import KeyStore
from membrane.usecases.ports.learning import LearningIndex
from membrane.usecases.ports.names import EntityNames
from membrane.usecases.ports.recent_writes import RecentWrites
from membrane.usecases.ports.records import RecordStore
from membrane.usecases.ports.search import AnswerReceipts
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.studies import StudyStore
from membrane.usecases.ports.topic_archive import TopicRestores
from membrane.usecases.ports.topics import TopicStore
from membrane.usecases.ports.uploads import UploadStore
from membrane.wiring import services as wiring
from membrane.wiring.settings import Settings, read_settings
from membrane_local.storage.moto_aws import aws_in_memory
from membrane_local.storage.split_searches import split_in_searches
from membrane_local.template import read_template
from tests.fakes.archive import FakeExports, FakeRestores, FakeTopicRestores
from tests.fakes.bucket import FakeBlobs, FakeImports, FakeLinks, FakeUploads
from tests.fakes.clock import BackOff, FakeClock
from tests.fakes.documents import FakeDocuments
from tests.fakes.fences import FakeFences
from tests.fakes.indexes import FakeDue, FakeNatural, FakeRanks
from tests.fakes.keys import FakeKeys
from tests.fakes.learning import FakeLearning
from tests.fakes.operators import Later, Reports
from tests.fakes.recent_writes import FakeRecentWrites
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeAnswers
from tests.fakes.signing import FakeSigner
from tests.fakes.studies import FakeStudies
from tests.fakes.topics import FakeTopics
from tests.fakes.world import counted_ids
from tests.worlds.depth import cases
from tests.worlds.dynoxide_server import server_client
from tests.worlds.limits import Watched, require_legal_item, watch

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_s3 import S3Client

Item = Mapping[str, Any]

EMULATORS = cases(("moto", "dynoxide"), ("dynoxide",))
"""The DynamoDB-like tables that the contract is run against; dynoxide is the stricter one."""

MAX_PUTS = 25
"""Items of a BatchWriteItem."""

BUCKET = "membrane-blobs"
CURVE = "steps"
SETTINGS = {
    "MEMBRANE_TABLE": "set per test",
    "MEMBRANE_BUCKET": BUCKET,
    "MEMBRANE_CUSTOM_CURVES": json.dumps({CURVE: [[0, 1], [1, 0.5], [4, 0]]}),
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
"""No stream: nobody reads it here, and it makes dynoxide slower with every write."""


@dataclass(frozen=True, repr=False)
class Store:
    """One implementation of the ports, with the clock that it goes by."""

    records: RecordStore
    keys: KeyStore
    uploads: UploadStore
    ranks: RankIndex
    due: DueIndex
    natural: NaturalIndex
    learning: LearningIndex
    names: EntityNames
    answers: AnswerReceipts
    recent_writes: RecentWrites
    topics: TopicStore
    exports: ExportStore
    restores: RestoreStore
    topic_restores: TopicRestores
    studies: StudyStore
    documents: DocumentStore
    clock: FakeClock
    elsewhere: Callable[[], RecordStore]
    """The same records, as another execution environment sees them."""


@dataclass(frozen=True, repr=False)
class TableStore(Store):
    """An implementation over a DynamoDB-like table, with what tests need to look behind it."""

    table: str
    blobs: BlobStore
    settings: Settings
    client: "DynamoDBClient"
    """The implementation's own client: held to DynamoDB's limits, to be tampered with."""
    inspector: "DynamoDBClient"
    """Another client, for looking at items and damaging them."""
    watched: Watched
    services: Services
    """Of the implementation, with counted ids and no waiting."""
    back_off: BackOff
    under: Callable[[Settings], Services]
    """Services over the same table, of an environment with other settings."""

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


def fake_store() -> Store:
    """The fakes."""
    clock = FakeClock()
    records = FakeRecords(clock, read_settings(SETTINGS).policy)
    uploads = FakeUploads(records.uploads, now=clock)
    ranks, due, natural = FakeRanks(records), FakeDue(records), FakeNatural(records)
    keys, answers = FakeKeys(), FakeAnswers(clock)
    topics = FakeTopics(records)
    return Store(
        records,
        keys,
        uploads,
        ranks,
        due,
        natural,
        FakeLearning(records),
        records.names,
        answers,
        FakeRecentWrites(clock),
        topics,
        FakeExports(records, topics),
        FakeRestores(records),
        FakeTopicRestores(topics),
        FakeStudies(clock),
        FakeDocuments(FakeBlobs(clock), clock),
        clock,
        elsewhere=lambda: records,
    )


@cache
def _session() -> botocore.session.Session:
    """One for all tests: reading a service's description takes longer than most tests."""
    return botocore.session.get_session()


@contextmanager
def bucket() -> Iterator["S3Client"]:
    """An empty, versioned bucket of moto's, in this process, and a client of it."""
    with aws_in_memory():
        client: S3Client = _session().create_client("s3", config=wiring.CLIENT_CONFIG)  # type: ignore[assignment]  # botocore's stubs know no services
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
def moto_store(blobs: BlobStore | None = None) -> Iterator[TableStore]:
    """A table of moto's, in this process, with other blobs or those in a bucket of moto's."""
    with bucket() as client, _table_store(None, blobs or S3Blobs(lambda: client, BUCKET)) as store:
        yield store


@contextmanager
def dynoxide_store(endpoint: str) -> Iterator[TableStore]:
    """A table of its own on a running server."""
    with _table_store(endpoint, FakeBlobs()) as store:
        yield store


@contextmanager
def _table_store(endpoint: str | None, blobs: BlobStore) -> Iterator[TableStore]:
    store = table_store(endpoint, blobs)
    yield store
    for item in store.everything():
        require_legal_item(item)


def _build_unfenced(settings: Settings, **ports: Any) -> Services:
    """Services without looks at the fences, which depend on the time since the last look."""
    services = wiring.build(settings, fences=FakeFences(), **ports)
    return replace(services, records=unfenced_records(services.records))


def emulator_client(endpoint: str | None) -> "DynamoDBClient":
    """A new client of a running server of dynoxide's, or of moto."""
    if endpoint is None:
        return wiring.dynamodb_client()
    return split_in_searches(server_client(endpoint))


_inspector = cache(emulator_client)


def table_store(endpoint: str | None, blobs: BlobStore) -> TableStore:
    """A new table, and a store over it."""
    clock, back_off = FakeClock(), BackOff()
    settings = read_settings(SETTINGS)._replace(table=f"contract-{uuid4()}")
    client, inspector = emulator_client(endpoint), _inspector(endpoint)
    definition: Any = {part: TABLE[part] for part in STRUCTURE}
    inspector.create_table(TableName=settings.table, **definition)
    under = partial(
        _build_unfenced,
        dynamodb=client,
        blobs=blobs,
        now=clock,
        report=Reports(),
        links=FakeLinks(),
        imports=FakeImports(),
        signer=FakeSigner(),
        invoke_later=Later(),
    )
    build = partial(under, settings)
    services = replace(
        build(),
        back_off=back_off,
        new_id=counted_ids(),
    )
    return TableStore(
        records=services.records,
        keys=services.keys,
        uploads=services.uploads,
        ranks=services.ranks,
        due=services.due,
        natural=DynamoNatural(client, settings.table),
        learning=DynamoLearning(client, settings.table),
        names=services.names,
        answers=DynamoReceipts(client, settings.table, clock),
        recent_writes=DynamoRecentWrites(client, settings.table, clock),
        topics=DynamoTopics(client, settings.table, blobs, clock, Retention()),
        exports=services.exports,
        restores=services.restores,
        topic_restores=DynamoTopicRestores(client, settings.table, blobs, clock, Retention()),
        studies=DynamoStudies(client, settings.table, clock),
        documents=DynamoDocuments(client, settings.table, blobs, clock),
        clock=clock,
        elsewhere=lambda: build().records,
        table=settings.table,
        blobs=blobs,
        settings=settings,
        client=client,
        inspector=inspector,
        watched=watch(client),
        services=services,
        back_off=back_off,
        under=under,
    )
