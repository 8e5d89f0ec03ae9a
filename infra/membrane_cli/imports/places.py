"""The targets of an import: the bucket of a deployment, or a running local stack."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from membrane.adapters.bucket.s3 import S3Imports
from membrane.domain.language.errors import NotFound
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.imports.progress import IMPORTS, result_name
from membrane_cli.http_client import HttpClient

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

OnSent = Callable[[int], None]
"""Called with the number of bytes just sent."""


class ImportPlace(Protocol):
    """Takes objects by name, and knows the results of their imports."""

    def send(self, name: str, file: Path, digest: str, on_sent: OnSent) -> None:
        """Put the file, which starts the import."""

    def result(self, name: str) -> JsonObject | None:
        """The result so far; None before the import has begun."""

    def refusals(self, result: JsonObject) -> Iterator[JsonObject]:
        """The refusals that were moved from the result into parts."""


@dataclass(frozen=True, slots=True)
class LocalImports:
    """A running `membrane dev`."""

    client: HttpClient
    prefix: str = IMPORTS

    def send(self, name: str, file: Path, digest: str, on_sent: OnSent) -> None:  # noqa: ARG002 - the local stack computes the digest
        """Send the file in one PUT, without reading the whole file into memory."""
        with file.open("rb") as content:
            metered = cast("BinaryIO", _MeteredFile(content, on_sent))
            self.client.send("PUT", f"/_dev/{self.prefix}{name}", metered, file.stat().st_size)

    def result(self, name: str) -> JsonObject | None:
        try:
            return dict(self.client.ask("GET", f"/_dev/{self.prefix}{name}"))
        except NotFound:
            return None

    def refusals(self, result: JsonObject) -> Iterator[JsonObject]:
        name = result["object"].removeprefix(self.prefix)
        for number, _ in enumerate(result["refused_parts"], 1):
            part = self.client.ask("GET", f"/_dev/{self.prefix}{name}?part={number}")
            yield from part["refusals"]


@dataclass(frozen=True, slots=True)
class DeployedImports:
    """A bucket that the operator's credentials may write."""

    client: "S3Client"
    bucket: str
    prefix: str = IMPORTS

    def send(self, name: str, file: Path, digest: str, on_sent: OnSent) -> None:
        """Upload a large file in parts; the digest in the metadata identifies the content."""
        self.client.upload_file(
            str(file),
            self.bucket,
            self.prefix + name,
            ExtraArgs={"Metadata": {"sha256": digest}},
            Callback=on_sent,
        )

    def result(self, name: str) -> JsonObject | None:
        stored = S3Imports(lambda: self.client, self.bucket).result(result_name(self.prefix + name))
        return None if stored is None else dict(parse_json(stored.content))

    def refusals(self, result: JsonObject) -> Iterator[JsonObject]:
        imports = S3Imports(lambda: self.client, self.bucket)
        for part in result["refused_parts"]:
            stored = imports.result(part)
            yield from map(parse_json, [] if stored is None else stored.content.splitlines())


@dataclass(frozen=True, slots=True)
class _MeteredFile:
    """A file that reports the number of bytes of every read."""

    content: BinaryIO
    on_sent: OnSent

    def read(self, size: int = -1) -> bytes:
        piece = self.content.read(size)
        self.on_sent(len(piece))
        return piece


def imports_of_bucket(bucket: str, prefix: str) -> DeployedImports:
    """A bucket in the environment's account and Region."""
    import boto3  # noqa: PLC0415 - only this command needs it

    return DeployedImports(boto3.client("s3"), bucket, prefix)
