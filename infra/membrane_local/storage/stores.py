"""Opens the local stack's store: the table, the blobs, the imports and the stream."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import botocore.session
from botocore.exceptions import BotoCoreError, ClientError

from membrane.adapters.dynamodb.erasure.fences import CERTIFICATE
from membrane.adapters.dynamodb.table.keys import API_KEYS
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.bucket import BlobStore
from membrane.wiring import clients
from membrane_local.account import REGION
from membrane_local.memory.database import Database
from membrane_local.memory.files import open_file
from membrane_local.refusals import OptionRefused, StoreRefused
from membrane_local.storage import objects
from membrane_local.storage.bucket_endpoint import BucketEndpoint, LocalSigner
from membrane_local.storage.clients import client_of, streams_of
from membrane_local.storage.table import (
    CLIENT_CONFIG,
    ReadChanges,
    TableStream,
    empty_table,
    ensure_table,
    items_with,
    stream_client,
    stream_of,
)
from membrane_local.template import Properties

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient
    from types_boto3_s3 import S3Client


TABLE = "membrane"
BUCKET = "membrane-blobs"
MOTO = "moto"
"""In place of a file's name: the table is moto's, for who compares."""

_DUMMY_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_SESSION_TOKEN": "local",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass(frozen=True, slots=True)
class Store:
    dynamodb: "DynamoDBClient"
    blobs: BlobStore
    clear_blobs: Callable[[], None]
    imports: objects.ReceivingImports
    bucket_endpoint: BucketEndpoint
    stream: TableStream
    signer: LocalSigner
    key_file: Path | None = None
    """The file of the stack's generated key; None where the store ends with the stack."""
    read_changes: ReadChanges | None = None
    """Of a table in this process, with or without a file."""

    def items_with(self, attribute: str) -> Iterable[JsonObject]:
        if self.read_changes is None:
            return items_with(self.dynamodb, TABLE, attribute)
        return self.read_changes.database.items_with(TABLE, attribute)

    def empty(self) -> None:
        """Empty the store except for API keys; raises ForeignTableError for a foreign table."""
        empty_table(self.dynamodb, TABLE, API_KEYS)
        self.clear_blobs()


@contextmanager
def open_store(place: str | None, table: Properties, blobs: Path | None = None) -> Iterator[Store]:
    """Open the store at `place`: None for memory, `moto`, a file, or an endpoint's URL.

    `blobs` is the folder of large documents; by default beside the file, or in the working
    directory. A store in memory keeps large documents in moto's bucket.
    Raises StoreRefused for a place that cannot hold a store, OptionRefused for the folder.
    """
    if place in (None, MOTO):
        with _in_memory(table, with_moto=place == MOTO) as store:
            yield store
    elif urlsplit(place).scheme in ("http", "https"):
        if botocore.session.get_session().get_credentials() is None:
            os.environ.update(_DUMMY_CREDENTIALS)
        beside = Path(f"membrane-{urlsplit(place).netloc.replace(':', '-')}.blobs")
        folder = blobs or beside
        require_folder(folder)
        dynamodb, streams = clients.dynamodb_client(place, CLIENT_CONFIG), stream_client(place)
        yield _over(dynamodb, streams, folder, table)
    else:
        os.environ.update(_DUMMY_CREDENTIALS)
        path = Path(place).absolute()
        folder = blobs or path.with_name(f"{path.name}.blobs")
        require_database(path)
        require_folder(folder)
        with open_file(path) as file:
            objects.remove_partial(folder)  # the lock of the file keeps other writers out
            database = Database.of_file(file)
            yield _over(client_of(database), streams_of(database), folder, table, database)


def _over(
    dynamodb: "DynamoDBClient",
    streams: "DynamoDBStreamsClient",
    folder: Path,
    table: Properties,
    database: Database | None = None,
) -> Store:
    """The store over a server or a file, with the blobs in the folder; raises StoreRefused."""
    endpoint = dynamodb.meta.endpoint_url
    folder.mkdir(mode=0o700, exist_ok=True)
    try:
        ensure_table(dynamodb, TABLE, table)
    except BotoCoreError as error:
        raise StoreRefused(f"no DynamoDB answers at {endpoint}") from error
    except ClientError as error:
        raise StoreRefused(f"{endpoint} refuses the table {TABLE}: {error}") from error
    read_changes = None if database is None else ReadChanges(database, TABLE)
    if read_changes is None:
        blobs = objects.DirectoryBlobs(folder)
    else:
        blobs = objects.DirectoryBlobs(folder, read_changes.note_erasure)
        _note_certificates(dynamodb, read_changes)
    imports = objects.DirectoryImports(folder, BUCKET)

    def clear() -> None:
        blobs.clear()
        imports.clear()

    return Store(
        dynamodb,
        blobs,
        clear,
        imports,
        BucketEndpoint(blobs, BUCKET),
        TableStream(
            streams, stream_of(dynamodb, TABLE, table), folder / "stream-place", read_changes
        ),
        LocalSigner.of_file(folder / "signing-key.pem"),
        folder / "api-key",
        read_changes,
    )


def _note_certificates(dynamodb: "DynamoDBClient", read_changes: ReadChanges) -> None:
    """Note the end of an erasure of a target: some of its items have no blobs."""

    def note(params: Any, **_: object) -> None:
        if params["Item"].get("sk") == {"S": CERTIFICATE}:
            read_changes.note_erasure()

    dynamodb.meta.events.register("provide-client-params.dynamodb.PutItem", note)


@contextmanager
def _in_memory(table: Properties, *, with_moto: bool) -> Iterator[Store]:
    # imported here, since moto takes a second to load and other stores do without
    from membrane_local.storage.moto import (  # noqa: PLC0415
        light_bucket,
        moto_client,
        one_at_a_time,
    )

    os.environ.update(_DUMMY_CREDENTIALS)
    with light_bucket():
        s3, database = clients.s3_client(), None if with_moto else Database()
        if database is None:
            dynamodb, streams = moto_client(), stream_client()
            one_at_a_time(dynamodb, s3, streams)
        else:
            dynamodb, streams = client_of(database), streams_of(database)
            one_at_a_time(s3)
        ensure_table(dynamodb, TABLE, table)
        s3.create_bucket(Bucket=BUCKET)
        blobs = objects.BucketBlobs(lambda: s3, BUCKET)
        read_changes = None if database is None else ReadChanges(database, TABLE)
        yield Store(
            dynamodb,
            blobs,
            lambda: _empty_bucket(s3, BUCKET),
            objects.BucketImports(lambda: s3, BUCKET),
            BucketEndpoint(blobs, BUCKET),
            TableStream(streams, stream_of(dynamodb, TABLE, table), read_changes=read_changes),
            LocalSigner.of_new_key(),
            read_changes=read_changes,
        )


def _empty_bucket(s3: "S3Client", bucket: str) -> None:
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for found in page.get("Contents", []):
            s3.delete_object(Bucket=bucket, Key=found["Key"])


_SQLITE = b"SQLite format 3\0"


def require_database(path: Path) -> None:
    """Raises StoreRefused unless the path is a database, or a new name in a folder that exists."""
    _require_parent(path)
    if path.is_dir():
        raise StoreRefused(f"{path} is a folder, not a file")
    if not path.exists():
        if not os.access(path.parent, os.W_OK):
            raise StoreRefused(f"the folder {path.parent} may not be written")
        return
    if not os.access(path, os.R_OK | os.W_OK):
        raise StoreRefused(f"{path} may not be read and written")
    with path.open("rb") as file:
        if file.read(len(_SQLITE)) not in (b"", _SQLITE):
            raise StoreRefused(f"{path} is not a database of a local stack")


def require_folder(path: Path) -> None:
    """Raises OptionRefused unless the path is a folder, or a new name in a folder that exists."""
    try:
        _require_parent(path)
    except StoreRefused as error:
        raise OptionRefused("--blobs", error) from error
    if path.exists() and not path.is_dir():
        raise OptionRefused("--blobs", f"{path} is a file, not a folder")


def _require_parent(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise StoreRefused(f"there is no folder {path.absolute().parent}; make it first")
