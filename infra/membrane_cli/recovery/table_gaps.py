"""Compare a table with the template's table, and set the missing settings.

Point-in-time recovery restores items, indexes and encryption. Tags, the stream, TTL and the
settings of point-in-time recovery must be set again ("RestoreTableToPointInTime", API reference).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import NotFound
from membrane_local.template import Properties

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

ACTIVE = "ACTIVE"
POLL_S = 5
Pause = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Table:
    client: "DynamoDBClient"
    name: str
    wanted: Properties
    tags: Mapping[str, str]

    def describe(self) -> Any:
        """The table's description; raises NotFound."""
        try:
            return self.client.describe_table(TableName=self.name)["Table"]
        except self.client.exceptions.ResourceNotFoundException as error:
            raise NotFound(f"there is no table {self.name} in this Region") from error


@dataclass(frozen=True, slots=True)
class Gap:
    setting: str
    found: str
    action: str
    close: Callable[[], object] | None = None
    """Sets the template's value; None where DynamoDB is still at work."""


def table_gaps(table: Table) -> list[Gap]:
    """Every gap, in the order of closing; raises NotFound."""
    described = table.describe()
    if described["TableStatus"] != ACTIVE:
        return [Gap("table", f"is {described['TableStatus']}", "wait")]
    parts = (_index_gaps, _stream_gaps, _ttl_gaps, _backup_gaps, _protection_gaps, _tag_gaps)
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
    if is_on and found.get("AttributeName") == wanted:
        return
    yield Gap(
        "TTL",
        f"by {found['AttributeName']}" if is_on else "off",
        f"switch on by {wanted}",
        lambda: table.client.update_time_to_live(
            TableName=table.name, TimeToLiveSpecification={"Enabled": True, "AttributeName": wanted}
        ),
    )


def _backup_gaps(table: Table, _: Any) -> Iterator[Gap]:
    days = int(table.wanted["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"])
    described = table.client.describe_continuous_backups(TableName=table.name)
    found: Any = described["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    is_on = found.get("PointInTimeRecoveryStatus") == "ENABLED"
    if is_on and found.get("RecoveryPeriodInDays", days) == days:
        return
    wanted: Any = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}
    yield Gap(
        "point-in-time recovery",
        f"of {found['RecoveryPeriodInDays']} days" if is_on else "off",
        f"switch on for {days} days",
        lambda: table.client.update_continuous_backups(
            TableName=table.name, PointInTimeRecoverySpecification=wanted
        ),
    )


def _protection_gaps(table: Table, described: Any) -> Iterator[Gap]:
    if not described.get("DeletionProtectionEnabled"):
        close = _update(table, DeletionProtectionEnabled=True)
        yield Gap("deletion protection", "off", "switch on", close)


def _tag_gaps(table: Table, described: Any) -> Iterator[Gap]:
    arn = described["TableArn"]
    pages = table.client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
    there = {each["Key"]: each["Value"] for page in pages for each in page.get("Tags", ())}
    missing = {key: value for key, value in table.tags.items() if there.get(key) != value}
    if missing:
        tags: Any = [{"Key": key, "Value": value} for key, value in missing.items()]
        close = partial(table.client.tag_resource, ResourceArn=arn, Tags=tags)
        yield Gap("tags", f"without {', '.join(missing)}", "add", close)
