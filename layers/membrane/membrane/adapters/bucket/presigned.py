"""Presigned addresses of one S3 bucket: whoever holds one may make that one request."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.uploads import DOWNLOAD_LINK_PERIOD, UPLOAD_LINK_PERIOD, Link

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client


@dataclass(frozen=True, slots=True)
class S3Links:
    """The Links to one bucket; the client is made when the first is needed."""

    client: Callable[[], "S3Client"]
    bucket: str

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """A PUT of that very content, once: S3 checks what is signed, digest and size included."""
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
        """A GET of that object."""
        return self.client().generate_presigned_url(
            "get_object",
            Params={"Bucket": self.bucket, "Key": name},
            ExpiresIn=int(DOWNLOAD_LINK_PERIOD.total_seconds()),
        )
