"""Compare a table with the template's table, and set the missing settings.

Point-in-time recovery restores items, indexes and encryption. Tags, the stream, TTL and the
settings of point-in-time recovery must be set again ("RestoreTableToPointInTime", API reference).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    """The tags of the stack."""

    def describe(self) -> Any:
        """The table's description; raises NotFound."""
        try:
            return self.client.describe_table(TableName=self.name)["Table"]
        except self.client.exceptions.ResourceNotFoundException as error:
            raise NotFound(f"there is no table {self.name} in this Region") from error

    def update(self, **changes: Any) -> None:
        self.client.update_table(TableName=self.name, **changes)


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
    return [
        *_index_gaps(table, described),
        *_stream_gaps(table, described),
        *_ttl_gaps(table),
        *_backup_gaps(table),
        *_protection_gaps(table, described),
        *_tag_gaps(table, described),
    ]


def close_gaps(table: Table, gaps: Sequence[Gap], pause: Pause) -> None:
    """Close the gaps in turn: DynamoDB changes one property of a table at a time."""
    wait_until_active(table, pause)
    for gap in gaps:
        if gap.close is not None:
            gap.close()
            wait_until_active(table, pause)


def wait_until_active(table: Table, pause: Pause) -> None:
    """Wait for the table and all indexes; the backfill of a large index takes hours."""
    while not _is_active(table.describe()):
        pause(POLL_S)


def stream_arn(table: Table) -> str:
    """The ARN of the table's stream; raises NotFound for a table without a stream."""
    described = table.describe()
    if not _streams(described):
        raise NotFound(f"the table {table.name} has no stream")
    return str(described["LatestStreamArn"])


def _is_active(described: Any) -> bool:
    indexes = [*described.get("GlobalSecondaryIndexes", ()), *described.get("VectorIndexes", ())]
    return described["TableStatus"] == ACTIVE and all(_is_ready(each) for each in indexes)


def _is_ready(index: Mapping[str, Any]) -> bool:
    return index.get("IndexStatus", ACTIVE) == ACTIVE and not index.get("Backfilling")


def _index_gaps(table: Table, described: Any) -> Iterator[Gap]:
    kinds = (
        ("GlobalSecondaryIndexes", "GlobalSecondaryIndexUpdates", "index"),
        ("VectorIndexes", "VectorIndexUpdates", "vector index"),
    )
    for kind, updates, word in kinds:
        there = {each["IndexName"]: each for each in described.get(kind, ())}
        for wanted in table.wanted.get(kind, ()):
            name = wanted["IndexName"]
            if name not in there:
                yield Gap(f"{word} {name}", "missing", "create", _creation(table, updates, wanted))
            elif not _is_ready(there[name]):
                status = there[name].get("IndexStatus", ACTIVE)
                found = "is being filled" if status == ACTIVE else f"is {status}"
                yield Gap(f"{word} {name}", found, "wait")


def _creation(table: Table, updates: str, wanted: Mapping[str, Any]) -> Callable[[], None]:
    attributes = table.wanted["AttributeDefinitions"]
    change: Any = {
        "AttributeDefinitions": attributes,
        updates: [{"Create": _attribute_types(wanted)}],
    }
    return lambda: table.update(**change)


def _attribute_types(index: Mapping[str, Any]) -> dict[str, Any]:
    """The index with a number of dimensions: CloudFormation takes the text of a parameter."""
    numbers = {"Dimensions": int(index["Dimensions"])} if "Dimensions" in index else {}
    return {**index, **numbers}


def _streams(described: Any) -> bool:
    return bool(described.get("StreamSpecification", {}).get("StreamEnabled"))


def _stream_gaps(table: Table, described: Any) -> Iterator[Gap]:
    wanted = table.wanted["StreamSpecification"]["StreamViewType"]
    found = described.get("StreamSpecification", {})
    if not _streams(described):
        yield Gap("stream", "off", f"switch on with {wanted}", lambda: _stream(table, wanted))
    elif found["StreamViewType"] != wanted:
        yield Gap(
            "stream", f"has {found['StreamViewType']}", "switch off", lambda: _no_stream(table)
        )
        yield Gap("stream", "off then", f"switch on with {wanted}", lambda: _stream(table, wanted))


def _stream(table: Table, view: str) -> None:
    table.update(StreamSpecification={"StreamEnabled": True, "StreamViewType": view})


def _no_stream(table: Table) -> None:
    """DynamoDB cannot change the view of a stream."""
    table.update(StreamSpecification={"StreamEnabled": False})


def _ttl_gaps(table: Table) -> Iterator[Gap]:
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


def _backup_gaps(table: Table) -> Iterator[Gap]:
    days = int(table.wanted["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"])
    described = table.client.describe_continuous_backups(TableName=table.name)
    found: Any = described["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    is_on = found.get("PointInTimeRecoveryStatus") == "ENABLED"
    if is_on and found.get("RecoveryPeriodInDays", days) == days:
        return
    yield Gap(
        "point-in-time recovery",
        f"of {found['RecoveryPeriodInDays']} days" if is_on else "off",
        f"switch on for {days} days",
        lambda: table.client.update_continuous_backups(
            TableName=table.name,
            PointInTimeRecoverySpecification={
                "PointInTimeRecoveryEnabled": True,
                "RecoveryPeriodInDays": days,
            },
        ),
    )


def _protection_gaps(table: Table, described: Any) -> Iterator[Gap]:
    if not described.get("DeletionProtectionEnabled"):
        yield Gap(
            "deletion protection",
            "off",
            "switch on",
            lambda: table.update(DeletionProtectionEnabled=True),
        )


def _tag_gaps(table: Table, described: Any) -> Iterator[Gap]:
    arn = described["TableArn"]
    pages = table.client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
    there = {each["Key"]: each["Value"] for page in pages for each in page.get("Tags", ())}
    missing = {key: value for key, value in table.tags.items() if there.get(key) != value}
    if missing:
        tags: Any = [{"Key": key, "Value": value} for key, value in missing.items()]
        yield Gap(
            "tags",
            f"without {', '.join(missing)}",
            "add",
            lambda: table.client.tag_resource(ResourceArn=arn, Tags=tags),
        )
