"""Uploads, and signed requests that let clients reach the bucket."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from membrane.domain.records.uploads import Upload

UPLOAD_LINK_PERIOD = timedelta(minutes=15)

DOWNLOAD_LINK_PERIOD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Link:
    """A signed request for a single use, with exactly `headers`."""

    url: str
    method: str
    headers: Mapping[str, str]


class Links(Protocol):
    """Signed requests to the bucket; the holder of a link needs no credentials."""

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """A link to create an object of `size` and `sha256` (hex), valid for UPLOAD_LINK_PERIOD.

        Fails if an object with the name exists.
        """

    def download(self, name: str) -> str:
        """The signed address of an object, valid for DOWNLOAD_LINK_PERIOD."""


class UploadStore(Protocol):
    """Uploads and uploaded contents. May raise ResourceExhausted or Unavailable."""

    def open(self, upload: Upload) -> Upload | None:
        """Store an upload; if the id is taken, change nothing and return the earlier upload."""

    def find(self, upload_id: str) -> Upload | None:
        """The upload, read consistently."""

    def link(self, upload: Upload) -> Link:
        """The link under which the client puts the content."""

    def content(self, upload: Upload) -> bytes | None:
        """The uploaded content; None before the client has put any."""
