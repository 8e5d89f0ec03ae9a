"""`membrane recover`: prepare a restored table for a stack, and bring back the blobs it names."""

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from membrane.adapters.bucket.s3 import S3Blobs
from membrane.adapters.dynamodb.documents import document_values
from membrane.adapters.dynamodb.records import blobs as record_blobs
from membrane.adapters.dynamodb.table.attributes import CorruptItem, Item
from membrane.adapters.dynamodb.table.keys import record_id_of, record_partition
from membrane.adapters.dynamodb.topics import revision_items, topic_keys
from membrane.adapters.dynamodb.topics.topic_documents import ALL_TEXTS, blobs_of
from membrane_cli.check.constraints import Parameters
from membrane_cli.options import Parser
from membrane_cli.output import print_rows
from membrane_cli.recovery.table_gaps import Pause, Table, close_gaps, stream_arn, table_gaps
from membrane_cli.stacks import stack_here
from membrane_local.dev_options import TEMPLATE
from membrane_local.template import Properties, read_document, template_of

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client


BUCKET = "Bucket"
DEPLOY = ".venv-sam/bin/sam deploy --config-file infra/samconfig.toml"


def add_options(parser: Parser) -> None:
    parser.option("--table", "the restored table", required=True)
    meaning = "the stack that gets the table; if absent, parameters have their defaults"
    parser.option("--stack", meaning)
    parser.add_parameters("a parameter of the stack; parameters not given keep their values")
    parser.flag("--dry-run", "print what would be done")
    parser.run_by(_recover, "membrane recover --table membrane-restored --stack membrane --dry-run")


def _recover(options: argparse.Namespace) -> int:
    import boto3  # noqa: PLC0415 - boto3 takes longest to load

    stack = None if options.stack is None else stack_here(options.stack)
    deployed = {} if stack is None else stack.parameters
    wanted = table_properties({**deployed, **dict(options.parameter)})
    tags = {} if stack is None else stack.tags
    table = Table(boto3.client("dynamodb"), options.table, wanted, tags)
    recover_table(table, dry_run=options.dry_run)
    lost = 0
    if stack is not None:
        s3 = boto3.client("s3")
        lost = recover_blobs(table, s3, stack.resource(BUCKET), dry_run=options.dry_run)
    if not options.dry_run:
        print(deploy_line(stream_arn(table), options.table, options.stack))
    return int(lost > 0)


def recover_table(table: Table, *, dry_run: bool, pause: Pause = time.sleep) -> None:
    gaps = table_gaps(table)
    print_rows(
        ("setting", "found", "action"), [(each.setting, each.found, each.action) for each in gaps]
    )
    if not gaps:
        print(f"{table.name} has every setting of the template")
    if dry_run:
        return
    close_gaps(table, gaps, pause)
    left = table_gaps(table)  # a table that was being created shows the settings only afterwards
    close_gaps(table, left, pause)


def recover_blobs(table: Table, s3: "S3Client", bucket: str, *, dry_run: bool) -> int:
    """Bring back removed blobs, and return the number of lost blobs and unreadable partitions.

    The whole table is read and the bucket listed, and a missing blob's versions are listed each.
    A blob without a version was erased, or removed before the recovery period. The blobs of a
    partition with a damaged item are unknown.
    """
    unreadable: list[str] = []
    lost: list[str] = []
    present = {blob.name for blob in S3Blobs(lambda: s3, bucket).list_blobs()}
    missing = sorted(_named_blobs(table, unreadable) - present)
    for name in missing:
        versions: list[Any] = []
        for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=name):
            versions += [each for each in page.get("Versions", []) if each["Key"] == name]
        newest = max(versions, key=lambda each: each["LastModified"], default=None)
        if newest is None:
            lost.append(name)
        elif not dry_run:  # the copy becomes the present version
            source: Any = {"Bucket": bucket, "Key": name, "VersionId": newest["VersionId"]}
            s3.copy_object(Bucket=bucket, Key=name, CopySource=source)
    verb = "to bring back" if dry_run else "brought back"
    print(f"{len(missing) - len(lost)} blobs {verb}, {len(lost)} lost")
    for name in lost:
        print(f"lost: {name}")
    for partition in unreadable:
        print(f"unreadable: {partition}")
    return len(lost) + len(unreadable)


def deploy_line(stream: str, table: str, stack: str | None) -> str:
    name = "" if stack is None else f" --stack-name {stack}"
    return f"{DEPLOY}{name} --parameter-overrides TableName={table} TableStreamArn={stream}"


def table_properties(parameters: Parameters) -> Properties:
    """The template's table with these parameters; unknown parameters have no effect."""
    document = read_document(TEMPLATE)
    known = {name: value for name, value in parameters.items() if name in document["Parameters"]}
    return template_of(document, TEMPLATE.parent, known).table


def _named_blobs(table: Table, unreadable: list[str]) -> set[str]:
    """The blobs of the table's records, topics and documents; adds partitions to `unreadable`."""
    named: set[str] = set()
    pages = table.client.get_paginator("scan")
    for page in pages.paginate(TableName=table.name, ConsistentRead=True):
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
