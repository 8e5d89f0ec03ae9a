"""Blobs and imports in a private S3 bucket, and presigned addresses of objects."""

import base64
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError, HTTPClientError, IncompleteReadError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.table.blobs import Blob
from membrane.table.items import LostRace
from membrane.usecases.imports import progress
from membrane.usecases.ports.bucket import (
    DOWNLOAD_LINK_PERIOD,
    UPLOAD_LINK_PERIOD,
    ImportObject,
    Link,
    ObjectReplaced,
    StoredText,
)

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

PREFIX = "blobs/"

_SHA256 = re.compile("[0-9a-f]{64}")

_ABSENT = frozenset({"NoSuchKey", "404"})
_CHANGED = frozenset({"PreconditionFailed", "412"})
_THROTTLED = frozenset({"SlowDown", "503", "RequestLimitExceeded", "ConditionalRequestConflict"})
_SERVER_FAILURE = 500


class _Absent(Exception):
    """The bucket has no object of the name."""


@dataclass(frozen=True, slots=True)
class _InBucket:
    """A store over one bucket; the client is made for the first object."""

    client: Callable[[], "S3Client"]
    bucket: str

    def _put(self, name: str, content: bytes) -> None:
        with _translating_errors():
            self.client().put_object(Bucket=self.bucket, Key=name, Body=content)

    def _object(self, name: str) -> StoredText | None:
        try:
            with _translating_errors(_ABSENT, _Absent):
                reply = self.client().get_object(Bucket=self.bucket, Key=name)
                return StoredText(reply["Body"].read(), reply["ETag"])
        except _Absent:
            return None

    def _objects(self, prefix: str) -> Iterator[Blob]:
        pages = self.client().get_paginator("list_objects_v2")
        with _translating_errors():
            for page in pages.paginate(Bucket=self.bucket, Prefix=prefix):
                for found in page.get("Contents", []):
                    yield Blob(found["Key"], found["LastModified"])

    def _versions(self, prefix: str) -> tuple[list[Any], list[Any]]:
        """The versions with content, and the delete markers, of every object with the prefix."""
        contents: list[Any] = []
        markers: list[Any] = []
        pages = self.client().get_paginator("list_object_versions")
        with _translating_errors():
            for page in pages.paginate(Bucket=self.bucket, Prefix=prefix):
                contents += page.get("Versions", [])
                markers += page.get("DeleteMarkers", [])
        return contents, markers

    def _delete_versions(self, versions: Iterable[Any]) -> None:
        client = self.client()
        for each in versions:
            key, version = each["Key"], each["VersionId"]
            with _translating_errors():
                client.delete_object(Bucket=self.bucket, Key=key, VersionId=version)


class S3Blobs(_InBucket):
    """The BlobStore over one bucket."""

    def write(self, name: str, content: bytes) -> None:
        """One PutObject; the name holds the content's SHA-256, and a repeat changes nothing."""
        self._put(name, content)

    def get(self, name: str) -> bytes | None:
        found = self._object(name)
        return None if found is None else found.content

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        """ListObjectsV2 over the prefix, a thousand names a request."""
        prefix = PREFIX if record_id is None else f"{PREFIX}{record_id}/"
        return self._objects(prefix)

    def remove(self, name: str) -> None:
        """One DeleteObject; a versioned bucket keeps the content as a noncurrent version."""
        with _translating_errors():
            self.client().delete_object(Bucket=self.bucket, Key=name)

    def erase(self, name: str) -> None:
        """ListObjectVersions, and a DeleteObject for each version and delete marker."""
        contents, markers = self._versions(name)
        self._delete_versions(each for each in (*contents, *markers) if each["Key"] == name)

    def erase_removed(self, record_id: str) -> None:
        """ListObjectVersions over the record's prefix, and a DeleteObject for each former version.

        Delete markers go last: without the marker, a version that is still there would be current.
        """
        contents, markers = self._versions(f"{PREFIX}{record_id}/")
        former = [each for each in contents if not each["IsLatest"]]
        self._delete_versions([*former, *markers])


@contextmanager
def _translating_errors(
    codes: Collection[str] = (), refusal: type[Exception] = Unavailable
) -> Iterator[None]:
    """Raise `refusal` for the codes, ResourceExhausted or Unavailable for other failures of S3."""
    try:
        yield
    except (NoConnection, HTTPClientError, IncompleteReadError) as error:
        raise Unavailable("the blob store did not answer") from error
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        code = error.response["Error"]["Code"]
        if code in codes:
            raise refusal from error
        if code in _THROTTLED:
            raise ResourceExhausted("the blob store is busy; try again later") from error
        if status >= _SERVER_FAILURE:
            raise Unavailable("the blob store did not answer") from error
        raise


class S3Imports(_InBucket):
    """The ImportStore over one bucket."""

    def find(self, key: str) -> ImportObject | None:
        """One HeadObject; the sender may state the content's digest in the metadata `sha256`.

        The stated digest is trusted. The digest only makes the lines' keys, and a sender may write
        any key into a line.
        """
        try:
            with _translating_errors(_ABSENT, _Absent):
                head = self.client().head_object(Bucket=self.bucket, Key=key)
        except _Absent:
            return None
        etag = head["ETag"].strip('"')
        said = head.get("Metadata", {}).get("sha256", "")
        version = said if _SHA256.fullmatch(said) else etag
        return ImportObject(self.bucket, key, etag, version, head["ContentLength"])

    def read_range(self, found: ImportObject, start: int, length: int) -> bytes:
        """One GetObject of a range, conditional on the ETag."""
        with _translating_errors(_ABSENT | _CHANGED, ObjectReplaced):
            reply = self.client().get_object(
                Bucket=self.bucket,
                Key=found.key,
                IfMatch=f'"{found.etag}"',
                Range=f"bytes={start}-{start + length - 1}",
            )
            return reply["Body"].read()

    def list_files(self) -> Iterator[Blob]:
        """ListObjectsV2 over both prefixes, a thousand names a request."""
        for prefix in (progress.IMPORTS, progress.RESTORES):
            yield from self._objects(prefix)

    def remove(self, key: str) -> None:
        """A DeleteObject for each version; the results share the beginning of their names."""
        for prefix in (progress.result_name(key).removesuffix(progress.RESULT_END), key):
            contents, markers = self._versions(prefix)
            found = [*contents, *markers]
            own = [
                each
                for each in found
                if each["Key"] == key or progress.is_result_of(each["Key"], key)
            ]
            self._delete_versions(own)

    def result(self, name: str) -> StoredText | None:
        return self._object(name)

    def keep(self, name: str, content: bytes) -> None:
        self._put(name, content)

    def keep_next(self, name: str, content: bytes, before: StoredText | None) -> StoredText:
        """One PutObject, conditional on the ETag or on absence."""
        condition: Any = {"IfNoneMatch": "*"} if before is None else {"IfMatch": before.etag}
        with _translating_errors(_ABSENT | _CHANGED, LostRace):
            reply = self.client().put_object(
                Bucket=self.bucket, Key=name, Body=content, **condition
            )
            return StoredText(content, reply["ETag"])


class S3Links(_InBucket):
    """The Links to one bucket."""

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """A PUT of the exact content, once: S3 checks the signed digest and size."""
        checksum = base64.b64encode(bytes.fromhex(sha256)).decode()
        url = self.client().generate_presigned_url(
            "put_object",
            Params={
                "Bucket": self.bucket,
                "Key": name,
                "ContentLength": size,
                "ChecksumSHA256": checksum,
                "IfNoneMatch": "*",
            },
            ExpiresIn=int(UPLOAD_LINK_PERIOD.total_seconds()),
        )
        headers = {
            "content-length": str(size),
            "if-none-match": "*",
            "x-amz-checksum-sha256": checksum,
        }
        return Link(url, "PUT", headers)

    def download(self, name: str) -> str:
        return self.client().generate_presigned_url(
            "get_object",
            Params={"Bucket": self.bucket, "Key": name},
            ExpiresIn=int(DOWNLOAD_LINK_PERIOD.total_seconds()),
        )
