"""Ports that most functions never use: the adapter behind each is loaded at its first use."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_s3 import S3Client

    from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
    from membrane.usecases.ports.bucket import BlobStore, ImportStore
    from membrane.usecases.ports.indexes import DueIndex, NaturalIndex, RankIndex
    from membrane.usecases.ports.keys import KeyStore
    from membrane.usecases.ports.lines import Lines
    from membrane.usecases.ports.services import Clock
    from membrane.usecases.ports.uploads import Links, UploadStore

Port = TypeVar("Port")


class _OnFirstUse:
    """Stands for the port that `make` gives, and calls `make` when the port is first used."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._made = cache(make)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made(), name)


def on_first_use(make: Callable[[], Port]) -> Port:
    return cast("Port", _OnFirstUse(make))


class TablePorts:
    """Makes ports over one table."""

    def __init__(self, client: "DynamoDBClient", table: str, now: "Clock") -> None:
        self._client, self._table, self._now = client, table, now

    def keys(self) -> "KeyStore":
        from membrane.adapters.dynamodb.access.key_store import DynamoKeys

        return DynamoKeys(self._client, self._table)

    def lines(self) -> "Lines":
        from membrane.adapters.dynamodb.records.lines import DynamoLines

        return DynamoLines(self._client, self._table, self._now)

    def uploads(self, blobs: "BlobStore", links: "Links") -> "UploadStore":
        from membrane.adapters.dynamodb.records.uploads import DynamoUploads

        return DynamoUploads(self._client, self._table, blobs, links, self._now)

    def due(self, shards: int) -> "DueIndex":
        from membrane.adapters.dynamodb.indexes.due import DynamoDue

        return DynamoDue(self._client, self._table, shards)

    def ranks(self, classes: "ClassRegistry", shards: int) -> "RankIndex":
        from membrane.adapters.dynamodb.indexes.rank import DynamoRanks

        return DynamoRanks(self._client, self._table, classes, shards)

    def natural(self) -> "NaturalIndex":
        from membrane.adapters.dynamodb.indexes.natural import DynamoNatural

        return DynamoNatural(self._client, self._table)


class BucketPorts:
    """Makes ports over one bucket, whose client is made when the first request is."""

    def __init__(self, client: "Callable[[], S3Client]", bucket: str) -> None:
        self._client, self._bucket = client, bucket

    def blobs(self) -> "BlobStore":
        from membrane.adapters.bucket.s3 import S3Blobs

        return S3Blobs(self._client, self._bucket)

    def imports(self) -> "ImportStore":
        from membrane.adapters.bucket.s3 import S3Imports

        return S3Imports(self._client, self._bucket)

    def links(self) -> "Links":
        from membrane.adapters.bucket.s3 import S3Links

        return S3Links(self._client, self._bucket)
