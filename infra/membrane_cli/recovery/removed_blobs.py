"""Bring back blobs: named by items of the table, and removed from the bucket."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from membrane.adapters.bucket.s3 import S3Blobs
from membrane.adapters.dynamodb.documents import document_values
from membrane.adapters.dynamodb.records import blobs as record_blobs
from membrane.adapters.dynamodb.table.attributes import CorruptItem, Item
from membrane.adapters.dynamodb.table.keys import record_id_of, record_partition
from membrane.adapters.dynamodb.topics import revision_items, topic_keys
from membrane.adapters.dynamodb.topics.topic_documents import ALL_TEXTS, blobs_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_s3 import S3Client


@dataclass(frozen=True, slots=True)
class MissingBlobs:
    removed: dict[str, str] = field(default_factory=dict)
    """The newest version that the bucket keeps, by name."""
    lost: list[str] = field(default_factory=list)
    """Names without a version: erased, or removed before the recovery period."""
    unreadable: list[str] = field(default_factory=list)
    """Partitions with a damaged item, whose blobs are unknown."""


def missing_blobs(
    client: "DynamoDBClient", table: str, s3: "S3Client", bucket: str
) -> MissingBlobs:
    """Read the whole table and list the bucket; a ListObjectVersions for each missing blob."""
    present = {blob.name for blob in S3Blobs(lambda: s3, bucket).list_blobs()}
    found = MissingBlobs()
    for name in sorted(_named_blobs(client, table, found.unreadable) - present):
        versions: list[Any] = []
        for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=name):
            versions += [each for each in page.get("Versions", []) if each["Key"] == name]
        newest = max(versions, key=lambda each: each["LastModified"], default=None)
        version = None if newest is None else str(newest["VersionId"])
        if version is None:
            found.lost.append(name)
        else:
            found.removed[name] = version
    return found


def bring_back(missing: MissingBlobs, s3: "S3Client", bucket: str) -> None:
    """Copy the newest version of each removed blob; the copy becomes the present version."""
    for name, version in missing.removed.items():
        source: Any = {"Bucket": bucket, "Key": name, "VersionId": version}
        s3.copy_object(Bucket=bucket, Key=name, CopySource=source)


def _named_blobs(client: "DynamoDBClient", table: str, unreadable: list[str]) -> set[str]:
    """The blobs of the table's records, topics and documents; adds partitions to `unreadable`."""
    named: set[str] = set()
    for page in client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        for item in page["Items"]:
            try:
                named.update(_names_in(item))
            except CorruptItem:
                unreadable.append(item["pk"]["S"])
    return named


def _names_in(item: Item) -> Iterator[str]:
    partition = item["pk"].get("S", "")
    if partition.startswith(record_partition("")):
        yield from record_blobs.blob_names_in([item], record_id_of(item))
    elif partition.startswith(topic_keys.topic_partition("")):
        yield from blobs_of(item, ALL_TEXTS)
        yield from revision_items.blob_names_in(item)
    else:
        yield from document_values.blob_names_in(item)
