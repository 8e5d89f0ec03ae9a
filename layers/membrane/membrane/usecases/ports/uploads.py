"""Uploads, and requests on the bucket that are signed for others."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, Protocol

from membrane.domain.records.uploads import Upload

UPLOAD_LINK_PERIOD = timedelta(minutes=15)

DOWNLOAD_LINK_PERIOD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Link:
    """A request that whoever holds it may make once, with these very headers."""

    url: str
    method: Literal["PUT"]
    headers: Mapping[str, str]


class Links(Protocol):
    """Requests on the bucket, signed for whoever is told."""

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """Put an object of that size and SHA-256 (hex) where none is, within UPLOAD_LINK_PERIOD."""

    def download(self, name: str) -> str:
        """The address of an object, good for DOWNLOAD_LINK_PERIOD."""


class UploadStore(Protocol):
    """Uploads, and what was put under them. May raise ResourceExhausted or Unavailable."""

    def open(self, upload: Upload) -> Upload | None:
        """Open it; where one of that id is open already, it stays as it is and is returned."""

    def find(self, upload_id: str) -> Upload | None:
        """The upload, consistently read."""

    def link(self, upload: Upload) -> Link:
        """How to put its value there."""

    def content(self, upload: Upload) -> bytes | None:
        """What was put there."""
