"""Uploads, and signed requests that let clients reach the bucket."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, Protocol

UPLOAD_LINK_PERIOD = timedelta(minutes=15)

DOWNLOAD_LINK_PERIOD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Link:
    """A signed request for a single use, with exactly `headers`."""

    url: str
    method: Literal["PUT"]
    headers: Mapping[str, str]


class Links(Protocol):
    """Signed requests to the bucket; the holder of a link needs no credentials."""

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """A link to create an object of `size` and `sha256` (hex), valid for UPLOAD_LINK_PERIOD.

        Fails if an object with the name exists.
        """

    def download(self, name: str) -> str:
        """The signed address of an object, valid for DOWNLOAD_LINK_PERIOD."""
