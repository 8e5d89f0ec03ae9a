"""Ports that most functions never use; each adapter is imported at the first use."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_kms import KMSClient
    from types_boto3_s3 import S3Client

    from membrane.adapters.dynamodb.access.key_store import DynamoKeys
    from membrane.adapters.dynamodb.archive.exports import DynamoExports
    from membrane.adapters.dynamodb.archive.restores import DynamoRestores
    from membrane.adapters.dynamodb.archive.walks import DynamoWalks
    from membrane.adapters.dynamodb.erasure.fences import DynamoFences
    from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
    from membrane.adapters.dynamodb.indexes.due import DynamoDue
    from membrane.adapters.dynamodb.indexes.learning import DynamoLearning
    from membrane.adapters.dynamodb.indexes.names import DynamoNames
    from membrane.adapters.dynamodb.indexes.natural import DynamoNatural
    from membrane.adapters.dynamodb.indexes.rank import DynamoRanks
    from membrane.adapters.dynamodb.integrity.integrity_store import DynamoIntegrity
    from membrane.adapters.dynamodb.records.items import Codec
    from membrane.adapters.dynamodb.records.ticket_queues import DynamoTicketQueues
    from membrane.adapters.dynamodb.records.uploads import DynamoUploads
    from membrane.adapters.dynamodb.search.answer_receipts import DynamoReceipts
    from membrane.usecases.ports.bucket import BlobStore, ImportStore
    from membrane.usecases.ports.signing import Signer
    from membrane.usecases.ports.surroundings import Clock
    from membrane.usecases.ports.uploads import Links

Port = TypeVar("Port")


class _OnFirstUse:
    """A proxy for the port that `make` returns; `make` runs at the first use."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._made = cache(make)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made(), name)


def on_first_use(make: Callable[[], Port]) -> Port:
    return cast("Port", _OnFirstUse(make))


def kms_signer(client: "Callable[[], KMSClient]", key_id: str) -> "Signer":
    from membrane.adapters.signing.kms import KmsSigner

    return KmsSigner(client, key_id)


class TablePorts(NamedTuple):
    """Makes ports over a table."""

    client: "DynamoDBClient"
    table: str
    now: "Clock"

    def keys(self) -> "DynamoKeys":
        from membrane.adapters.dynamodb.access.key_store import DynamoKeys

        return DynamoKeys(self.client, self.table)

    def fences(self, elapsed_s: Callable[[], float]) -> "DynamoFences":
        from membrane.adapters.dynamodb.erasure.fences import DynamoFences

        return DynamoFences(self.client, self.table, elapsed_s)

    def ticket_queues(self) -> "DynamoTicketQueues":
        from membrane.adapters.dynamodb.records.ticket_queues import DynamoTicketQueues

        return DynamoTicketQueues(self.client, self.table, self.now)

    def uploads(self, blobs: "BlobStore", links: "Links") -> "DynamoUploads":
        from membrane.adapters.dynamodb.records.uploads import DynamoUploads

        return DynamoUploads(self.client, self.table, blobs, links, self.now)

    def exports(self, blobs: "BlobStore", links: "Links") -> "DynamoExports":
        from membrane.adapters.dynamodb.archive.exports import DynamoExports

        return DynamoExports(self.client, self.table, blobs, links, self.now)

    def restores(self, codec: "Codec", classes: "ClassRegistry") -> "DynamoRestores":
        from membrane.adapters.dynamodb.archive.restores import DynamoRestores
        from membrane.adapters.dynamodb.search.scope_registry import ScopeRegistry

        scopes = ScopeRegistry(self.client, self.table)
        return DynamoRestores(self.client, self.table, codec, classes, scopes, self.now)

    def walks(self) -> "DynamoWalks":
        from membrane.adapters.dynamodb.archive.walks import DynamoWalks

        return DynamoWalks(self.client, self.table, self.now)

    def due(self, shards: int) -> "DynamoDue":
        from membrane.adapters.dynamodb.indexes.due import DynamoDue

        return DynamoDue(self.client, self.table, shards)

    def ranks(self, classes: "ClassRegistry", shards: int) -> "DynamoRanks":
        from membrane.adapters.dynamodb.indexes.rank import DynamoRanks

        return DynamoRanks(self.client, self.table, classes, shards)

    def integrity(self, codec: "Codec", blobs: "BlobStore") -> "DynamoIntegrity":
        from membrane.adapters.dynamodb.integrity.integrity_store import DynamoIntegrity

        return DynamoIntegrity(self.client, self.table, codec, blobs)

    def receipts(self) -> "DynamoReceipts":
        from membrane.adapters.dynamodb.search.answer_receipts import DynamoReceipts

        return DynamoReceipts(self.client, self.table, self.now)

    def natural(self) -> "DynamoNatural":
        from membrane.adapters.dynamodb.indexes.natural import DynamoNatural

        return DynamoNatural(self.client, self.table)

    def learning(self) -> "DynamoLearning":
        from membrane.adapters.dynamodb.indexes.learning import DynamoLearning

        return DynamoLearning(self.client, self.table)

    def names(self) -> "DynamoNames":
        from membrane.adapters.dynamodb.indexes.names import DynamoNames

        return DynamoNames(self.client, self.table)


class BucketPorts(NamedTuple):
    """Makes ports over a bucket; the bucket's client is made for the first request."""

    client: "Callable[[], S3Client]"
    bucket: str

    def blobs(self) -> "BlobStore":
        from membrane.adapters.bucket.s3 import S3Blobs

        return S3Blobs(self.client, self.bucket)

    def imports(self) -> "ImportStore":
        from membrane.adapters.bucket.s3 import S3Imports

        return S3Imports(self.client, self.bucket)

    def links(self) -> "Links":
        from membrane.adapters.bucket.s3 import S3Links

        return S3Links(self.client, self.bucket)
