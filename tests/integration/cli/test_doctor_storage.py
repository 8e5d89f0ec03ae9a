"""`membrane doctor --stack`: what the table, the stream and the bucket of a stack lack."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from membrane_cli.cli import main
from membrane_cli.doctor import Diagnosis
from membrane_cli.doctor.cloud import EVENT_SOURCE, diagnose_storage
from membrane_cli.recovery import Table, recover_table, stream_arn, table_properties
from membrane_cli.stacks import DeployedStack
from membrane_local.storage.moto import moto_client
from tests.worlds.stores import STRUCTURE

NAME, BUCKET = "membrane-table", "membrane-bucket"
WANTED = table_properties({})


@dataclass(frozen=True)
class Storage:
    """The parts of a stack that keep content."""

    stack: DeployedStack
    table: Table
    s3: Any
    functions: Any


@dataclass(frozen=True)
class Listed:
    """A CloudFormation that lists the resources of one stack."""

    resources: dict[str, str]

    def get_paginator(self, _: str) -> "Listed":
        return self

    def paginate(self, **_: Any) -> list[Any]:
        listed = [
            {
                "LogicalResourceId": logical_id,
                "PhysicalResourceId": physical_id,
                "ResourceType": "any",
                "ResourceStatus": "CREATE_COMPLETE",
            }
            for logical_id, physical_id in self.resources.items()
        ]
        return [{"StackResourceSummaries": listed}]


@dataclass(frozen=True)
class EventSources:
    """A Lambda with one event source."""

    stream: str
    state: str = "Enabled"

    def get_event_source_mapping(self, **_: Any) -> Any:
        return {"EventSourceArn": self.stream, "State": self.state}


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """The storage of a stack that lacks nothing."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    with mock_aws():
        client, s3 = moto_client(), boto3.client("s3")
        definition: Any = {part: WANTED[part] for part in STRUCTURE}
        client.create_table(TableName=NAME, **definition)
        place: Any = {"LocationConstraint": "eu-central-1"}
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=place)
        s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        table = Table(client, NAME, WANTED, {})
        recover_table(table, dry_run=False)
        listed: Any = Listed({"Table": NAME, "Bucket": BUCKET, EVENT_SOURCE: "source"})
        functions: Any = EventSources(stream_arn(table))
        yield Storage(DeployedStack("membrane", listed), table, s3, functions)


def diagnosed(storage: Storage) -> list[Diagnosis]:
    return [*diagnose_storage(storage.stack, storage.table, storage.s3, storage.functions)]


def lacking(storage: Storage) -> dict[str, str]:
    """What the doctor found, by name, where something is missing."""
    return {each.name: each.found for each in diagnosed(storage) if each.advice}


def test_a_whole_storage_lacks_nothing(storage: Storage) -> None:
    found = diagnosed(storage)

    assert [each.name for each in found] == ["table", "stream", "bucket"]
    assert lacking(storage) == {}


def test_each_missing_setting_of_the_table_is_named(storage: Storage) -> None:
    client: Any = storage.table.client
    client.update_table(TableName=NAME, DeletionProtectionEnabled=False)
    client.update_continuous_backups(
        TableName=NAME, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}
    )
    off = {"Enabled": False, "AttributeName": "expires_at"}
    client.update_time_to_live(TableName=NAME, TimeToLiveSpecification=off)

    found = lacking(storage)

    assert found == {
        "TTL": "off",
        "point-in-time recovery": "off",
        "deletion protection": "off",
    }


@pytest.mark.parametrize("index", ["due", "vectors_512"])
def test_an_index_of_the_template_that_the_table_lacks_is_named(
    storage: Storage, index: str
) -> None:
    more = {
        kind: [*WANTED[kind], {**WANTED[kind][-1], "IndexName": f"{index}-more"}]
        for kind in ("GlobalSecondaryIndexes", "VectorIndexes")
        if index in [each["IndexName"] for each in WANTED[kind]]
    }
    table = storage.table._replace(wanted={**WANTED, **more})

    found = lacking(replace(storage, table=table))

    assert [*found.values()] == ["missing"]
    assert next(iter(found)).endswith(f"index {index}-more")


def test_a_stream_that_nobody_reads_is_named(storage: Storage) -> None:
    disabled: Any = EventSources(stream_arn(storage.table), "Disabled")
    other: Any = EventSources("arn:of-another-stream")

    assert lacking(replace(storage, functions=disabled)) == {
        "stream": "the event source is Disabled"
    }
    assert lacking(replace(storage, functions=other)) == {
        "stream": "the index function reads another stream, arn:of-another-stream"
    }


def test_a_bucket_without_versions_and_a_missing_table_are_named(storage: Storage) -> None:
    storage.s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Suspended"})

    found = lacking(replace(storage, table=storage.table._replace(name="membrane-lost")))

    assert found == {
        "table": "could not be read",
        "stream": "could not be read",
        "bucket": f"the versioning of {BUCKET} is Suspended",
    }


def test_a_stack_is_wrong_where_aws_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")

    code = main(["doctor", "--stack", "membrane"])

    assert code == 1
    assert "wrong\tAWS\tcould not reach AWS" in capsys.readouterr().out
    assert main(["doctor"]) == 0
