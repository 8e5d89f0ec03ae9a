"""Opens the local stack's store: the table, the objects and the stream."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol
from urllib.parse import urlsplit

import botocore.session
from botocore.exceptions import BotoCoreError, ClientError

from membrane.adapters.dynamodb.erasure.fences import CERTIFICATE
from membrane.table.blobs import BlobStore
from membrane.table.keys import API_KEYS
from membrane.usecases.ports.bucket import ImportStore
from membrane.wiring import clients
from membrane_local.account import REGION
from membrane_local.memory.database import Database
from membrane_local.memory.files import open_file
from membrane_local.refusals import OptionRefused, StoreRefused
from membrane_local.storage.bucket_endpoint import BucketEndpoint, LocalSigner
from membrane_local.storage.clients import CLIENT_CONFIG, client_of, stream_client, streams_of
from membrane_local.storage.objects import Folder, Objects, remove_partial
from membrane_local.storage.table import (
    ReadChanges,
    TableStream,
    empty_table,
    ensure_table,
    stream_of,
)
from membrane_local.template import Properties

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient

TABLE = "membrane"
BUCKET = "membrane-blobs"
MOTO = "moto"
"""In place of a file's name: the table is moto's, for a comparison."""

_DUMMY_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_SESSION_TOKEN": "local",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class ReceivingImports(ImportStore, Protocol):
    def receive(self, key: str, content: BinaryIO) -> None: ...


@dataclass(frozen=True, slots=True)
class Store:
    dynamodb: "DynamoDBClient"
    blobs: BlobStore
    clear_blobs: Callable[[], None]
    imports: ReceivingImports
    bucket_endpoint: BucketEndpoint
    stream: TableStream
    signer: LocalSigner
    key_file: Path | None = None
    """The file of the stack's generated key; None where the store ends with the stack."""
    read_changes: ReadChanges | None = None
    """Of a table in this process, with or without a file."""

    def empty(self) -> None:
        """Empty the store except for API keys; raises ForeignTableError for a foreign table."""
        empty_table(self.dynamodb, TABLE, API_KEYS)
        self.clear_blobs()


@contextmanager
def open_store(place: str | None, table: Properties, blobs: Path | None = None) -> Iterator[Store]:
    """Open the store at `place`: None for memory, `moto`, a file, or an endpoint's URL.

    `blobs` is the folder of large documents; by default beside the file, or in the working
    directory. A store in memory keeps large documents in memory, too.
    Raises StoreRefused for a place that cannot hold a store, OptionRefused for the folder.
    """
    if place is None:
        os.environ.update(_DUMMY_CREDENTIALS)
        database = Database()
        read_changes = ReadChanges(database, TABLE)
        clients_of = client_of(database), streams_of(database)
        yield _over(*clients_of, Objects(BUCKET), table, read_changes)
    elif place == MOTO:
        # imported here, since moto takes a second to load and other stores do without
        from membrane_local.storage.moto import moto_tables  # noqa: PLC0415

        os.environ.update(_DUMMY_CREDENTIALS)
        with moto_tables() as clients_of:
            yield _over(*clients_of, Objects(BUCKET), table)
    elif urlsplit(place).scheme in ("http", "https"):
        if botocore.session.get_session().get_credentials() is None:
            os.environ.update(_DUMMY_CREDENTIALS)
        folder = blobs or Path(f"membrane-{urlsplit(place).netloc.replace(':', '-')}.blobs")
        require_folder(folder)
        clients_of = clients.dynamodb_client(place, CLIENT_CONFIG), stream_client(place)
        yield _over(*clients_of, Folder(folder, BUCKET), table)
    else:
        os.environ.update(_DUMMY_CREDENTIALS)
        path = Path(place).absolute()
        folder = blobs or path.with_name(f"{path.name}.blobs")
        require_database(path)
        require_folder(folder)
        with open_file(path) as file:
            remove_partial(folder)  # the lock of the file keeps other writers out
            database = Database.of_file(file)
            read_changes = ReadChanges(database, TABLE)
            dynamodb, files = client_of(database), Folder(folder, BUCKET, read_changes.note_erasure)
            _note_certificates(dynamodb, read_changes)
            yield _over(dynamodb, streams_of(database), files, table, read_changes)


def _over(
    dynamodb: "DynamoDBClient",
    streams: "DynamoDBStreamsClient",
    objects: Objects,
    table: Properties,
    read_changes: ReadChanges | None = None,
) -> Store:
    """The store; the folder of the objects has the files for the next stack, too.

    Raises StoreRefused.
    """
    folder = objects.root if isinstance(objects, Folder) else None
    endpoint = dynamodb.meta.endpoint_url
    if folder is not None:
        folder.mkdir(mode=0o700, exist_ok=True)
    try:
        ensure_table(dynamodb, TABLE, table)
    except BotoCoreError as error:
        raise StoreRefused(f"no DynamoDB answers at {endpoint}") from error
    except ClientError as error:
        raise StoreRefused(f"{endpoint} refuses the table {TABLE}: {error}") from error
    place = folder and folder / "stream-place"
    return Store(
        dynamodb,
        objects,
        objects.clear,
        objects,
        BucketEndpoint(objects),
        TableStream(streams, stream_of(dynamodb, TABLE, table), place, read_changes),
        LocalSigner.of_file(folder / "signing-key.pem") if folder else LocalSigner.of_new_key(),
        folder and folder / "api-key",
        read_changes,
    )


def _note_certificates(dynamodb: "DynamoDBClient", read_changes: ReadChanges) -> None:
    """Note the end of an erasure of a target: some of its items have no blobs."""

    def note(params: Any, **_: object) -> None:
        if params["Item"].get("sk") == {"S": CERTIFICATE}:
            read_changes.note_erasure()

    dynamodb.meta.events.register("provide-client-params.dynamodb.PutItem", note)


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
