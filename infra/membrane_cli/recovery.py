"""`membrane recover`: a restored table for a stack, and the blobs that the table names.

Point-in-time recovery restores items, indexes and encryption. Tags, the stream, TTL and the
settings of point-in-time recovery must be set again ("RestoreTableToPointInTime", API reference).
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.adapters.bucket import S3Blobs
from membrane.adapters.dynamodb.documents import store as document_store
from membrane.adapters.dynamodb.topics.topic_items import blobs_of, topic_partition
from membrane.domain.language.errors import NotFound
from membrane.table import blobs as table_blobs
from membrane.table.items import CorruptItem, Item
from membrane.table.keys import record_id_of, record_partition
from membrane_cli.options import Parser
from membrane_cli.output import print_rows
from membrane_cli.stacks import Pause, stack_here
from membrane_local.dev_options import TEMPLATE
from membrane_local.template import Properties, read_document, template_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_s3 import S3Client


BUCKET = "Bucket"
DEPLOY = ".venv-sam/bin/sam deploy --config-file infra/samconfig.toml"
ACTIVE = "ACTIVE"
POLL_S = 5


class Table(NamedTuple):
    client: "DynamoDBClient"
    name: str
    wanted: Properties
    tags: Mapping[str, str]

    def describe(self) -> Any:
        try:
            return self.client.describe_table(TableName=self.name)["Table"]
        except self.client.exceptions.ResourceNotFoundException as error:
            raise NotFound(f"there is no table {self.name} in this Region") from error


class Gap(NamedTuple):
    setting: str
    found: str
    action: str
    close: Callable[[], object] | None = None
    """Sets the template's value; None where DynamoDB is still at work."""


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


def deploy_line(stream: str, table: str, stack: str | None) -> str:
    name = "" if stack is None else f" --stack-name {stack}"
    return f"{DEPLOY}{name} --parameter-overrides TableName={table} TableStreamArn={stream}"


def table_properties(parameters: Mapping[str, str]) -> Properties:
    """The template's table with these parameters; unknown parameters have no effect."""
    document = read_document(TEMPLATE)
    known = {name: value for name, value in parameters.items() if name in document["Parameters"]}
    return template_of(document, TEMPLATE.parent, known).table


def table_gaps(table: Table) -> list[Gap]:
    """Every gap, in the order of closing; raises NotFound."""
    described = table.describe()
    if described["TableStatus"] != ACTIVE:
        return [Gap("table", f"is {described['TableStatus']}", "wait")]
    parts = (_index_gaps, _stream_gaps, _ttl_gaps, _protection_gaps, _tag_gaps)
    return [gap for part in parts for gap in part(table, described)]


def close_gaps(table: Table, gaps: Sequence[Gap], pause: Pause) -> None:
    """Close the gaps in turn: DynamoDB changes one property of a table at a time."""
    wait_until_active(table, pause)
    for gap in gaps:
        if gap.close is not None:
            gap.close()
            wait_until_active(table, pause)


def wait_until_active(table: Table, pause: Pause) -> None:
    """Wait for the table and all indexes; the backfill of a large index takes hours."""
    while True:
        found = table.describe()
        indexes = (*found.get("GlobalSecondaryIndexes", ()), *found.get("VectorIndexes", ()))
        if found["TableStatus"] == ACTIVE and all(map(_is_ready, indexes)):
            return
        pause(POLL_S)


def stream_arn(table: Table) -> str:
    """The ARN of the table's stream; raises NotFound for a table without a stream."""
    described = table.describe()
    if not described.get("StreamSpecification", {}).get("StreamEnabled"):
        raise NotFound(f"the table {table.name} has no stream")
    return str(described["LatestStreamArn"])


def _is_ready(index: Mapping[str, Any]) -> bool:
    return index.get("IndexStatus", ACTIVE) == ACTIVE and not index.get("Backfilling")


def _index_gaps(table: Table, described: Any) -> Iterator[Gap]:
    kinds = (("GlobalSecondaryIndexes", "index"), ("VectorIndexes", "vector index"))
    for kind, word in kinds:
        there = {each["IndexName"]: each for each in described.get(kind, ())}
        for wanted in table.wanted.get(kind, ()):
            name = wanted["IndexName"]
            if name not in there:
                created = dict(wanted)
                if "Dimensions" in wanted:  # CloudFormation takes the text of a parameter
                    created["Dimensions"] = int(wanted["Dimensions"])
                change = {f"{kind.removesuffix('es')}Updates": [{"Create": created}]}
                attributes = table.wanted["AttributeDefinitions"]
                create = _update(table, AttributeDefinitions=attributes, **change)
                yield Gap(f"{word} {name}", "missing", "create", create)
            elif not _is_ready(there[name]):
                status = there[name].get("IndexStatus", ACTIVE)
                found = "is being filled" if status == ACTIVE else f"is {status}"
                yield Gap(f"{word} {name}", found, "wait")


def _update(table: Table, **change: Any) -> Callable[[], object]:
    return partial(table.client.update_table, TableName=table.name, **change)


def _stream_gaps(table: Table, described: Any) -> Iterator[Gap]:
    """DynamoDB cannot change the view of a stream, so a wrong stream is switched off and on."""
    wanted = table.wanted["StreamSpecification"]["StreamViewType"]
    found = described.get("StreamSpecification", {})
    is_on = found.get("StreamEnabled")
    if is_on and found["StreamViewType"] == wanted:
        return
    if is_on:
        end = _update(table, StreamSpecification={"StreamEnabled": False})
        yield Gap("stream", f"has {found['StreamViewType']}", "switch off", end)
    begin = _update(table, StreamSpecification={"StreamEnabled": True, "StreamViewType": wanted})
    yield Gap("stream", "off then" if is_on else "off", f"switch on with {wanted}", begin)


def _ttl_gaps(table: Table, _: Any) -> Iterator[Gap]:
    wanted = table.wanted["TimeToLiveSpecification"]["AttributeName"]
    found = table.client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]
    is_on = found.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    if not is_on or found.get("AttributeName") != wanted:
        change: Any = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": wanted}}
        close = partial(table.client.update_time_to_live, TableName=table.name, **change)
        state = f"by {found['AttributeName']}" if is_on else "off"
        yield Gap("TTL", state, f"switch on by {wanted}", close)


def _protection_gaps(table: Table, described: Any) -> Iterator[Gap]:
    days = int(table.wanted["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"])
    backups = table.client.describe_continuous_backups(TableName=table.name)
    found: Any = backups["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    is_on = found.get("PointInTimeRecoveryStatus") == "ENABLED"
    if not is_on or found.get("RecoveryPeriodInDays", days) != days:
        wanted: Any = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}
        change: Any = {"TableName": table.name, "PointInTimeRecoverySpecification": wanted}
        close = partial(table.client.update_continuous_backups, **change)
        state = f"of {found['RecoveryPeriodInDays']} days" if is_on else "off"
        yield Gap("point-in-time recovery", state, f"switch on for {days} days", close)
    if not described.get("DeletionProtectionEnabled"):
        protect = _update(table, DeletionProtectionEnabled=True)
        yield Gap("deletion protection", "off", "switch on", protect)


def _tag_gaps(table: Table, described: Any) -> Iterator[Gap]:
    arn = described["TableArn"]
    pages = table.client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
    there = {each["Key"]: each["Value"] for page in pages for each in page.get("Tags", ())}
    missing = {key: value for key, value in table.tags.items() if there.get(key) != value}
    if missing:
        tags: Any = [{"Key": key, "Value": value} for key, value in missing.items()]
        close = partial(table.client.tag_resource, ResourceArn=arn, Tags=tags)
        yield Gap("tags", f"without {', '.join(missing)}", "add", close)


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
        yield from table_blobs.blob_names_in([item], record_id_of(item))
    elif partition.startswith(topic_partition("")):
        yield from blobs_of(item)
    else:
        yield from document_store.blob_names_in(item)
