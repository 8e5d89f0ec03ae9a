"""Where a file is imported: the bucket of a deployment, or a running local stack."""

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

Told = Callable[[int], None]
"""How many bytes more have been sent."""


class ImportPlace(Protocol):
    """Takes objects by name, and knows what became of them."""

    def send(self, name: str, file: Path, digest: str, told: Told) -> None:
        """Put the file there; its import begins by itself."""

    def result(self, name: str) -> JsonObject | None:
        """The result so far; None before the import has begun."""

    def refusals(self, result: JsonObject) -> Iterator[JsonObject]:
        """Those that moved into parts."""


@dataclass(frozen=True, slots=True)
class LocalImports:
    """A running `membrane dev`."""

    client: HttpClient

    def send(self, name: str, file: Path, digest: str, told: Told) -> None:  # noqa: ARG002 - the stack looks itself
        """One PUT, sent as it is read."""
        with file.open("rb") as content:
            told_of = cast("BinaryIO", _Told(content, told))
            self.client.send("PUT", f"/_dev/imports/{name}", told_of, file.stat().st_size)

    def result(self, name: str) -> JsonObject | None:
        """See ImportPlace."""
        try:
            return dict(self.client.ask("GET", f"/_dev/imports/{name}"))
        except NotFound:
            return None

    def refusals(self, result: JsonObject) -> Iterator[JsonObject]:
        """See ImportPlace."""
        name = result["object"].removeprefix(IMPORTS)
        for number, _ in enumerate(result["refused_parts"], 1):
            part = self.client.ask("GET", f"/_dev/imports/{name}?part={number}")
            yield from part["refusals"]


@dataclass(frozen=True, slots=True)
class DeployedImports:
    """A bucket that the operator's own credentials may write."""

    client: "S3Client"
    bucket: str

    def send(self, name: str, file: Path, digest: str, told: Told) -> None:
        """In parts, where it is large; the digest tells the same content again."""
        self.client.upload_file(
            str(file),
            self.bucket,
            IMPORTS + name,
            ExtraArgs={"Metadata": {"sha256": digest}},
            Callback=told,
        )

    def result(self, name: str) -> JsonObject | None:
        """See ImportPlace."""
        kept = S3Imports(lambda: self.client, self.bucket).result(result_name(IMPORTS + name))
        return None if kept is None else dict(parse_json(kept.content))

    def refusals(self, result: JsonObject) -> Iterator[JsonObject]:
        """See ImportPlace."""
        imports = S3Imports(lambda: self.client, self.bucket)
        for part in result["refused_parts"]:
            kept = imports.result(part)
            yield from map(parse_json, [] if kept is None else kept.content.splitlines())


@dataclass(frozen=True, slots=True)
class _Told:
    """A file that tells of what is read of it."""

    content: BinaryIO
    told: Told

    def read(self, size: int = -1) -> bytes:
        piece = self.content.read(size)
        self.told(len(piece))
        return piece


def imports_of_bucket(bucket: str) -> DeployedImports:
    """A bucket in the environment's account and Region."""
    import boto3  # noqa: PLC0415 - only this command needs it

    return DeployedImports(boto3.client("s3"), bucket)
