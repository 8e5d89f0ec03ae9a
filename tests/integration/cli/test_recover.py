"""`membrane recover`: a restored table gets what a restore leaves out, and its blobs come back."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from membrane_cli.cli import main
from membrane_cli.recovery import (
    POLL_S,
    Gap,
    Table,
    _index_gaps,
    _stream_gaps,
    close_gaps,
    deploy_line,
    recover_blobs,
    recover_table,
    stream_arn,
    table_gaps,
    table_properties,
    wait_until_active,
)
from membrane_local.memory.database import Database
from membrane_local.storage.clients import client_of
from membrane_local.storage.moto import moto_client
from tests.builders.stored_documents import store_large_versions
from tests.worlds.dynoxide_server import run_server, server_client
from tests.worlds.stores import STRUCTURE, blobs_in

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_s3 import S3Client

NAME, BUCKET = "membrane-restored", "blobs-of-the-stack"
WANTED = table_properties({"RecoveryDays": "14"})
UNSET = ["stream", "TTL", "point-in-time recovery", "deletion protection", "tags"]


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator["DynamoDBClient"]:
    """A table as a restore leaves it: items and indexes alone."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    with mock_aws():
        client = moto_client()
        client.create_table(TableName=NAME, **restored())
        yield client


@pytest.fixture
def s3(aws: "DynamoDBClient") -> "S3Client":  # noqa: ARG001 the account of the table
    """A versioned bucket."""
    client: S3Client = boto3.client("s3")
    place: Any = {"LocationConstraint": "eu-central-1"}
    client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=place)
    client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    return client


def restored(*without: str) -> Any:
    """The definition of a table; `without` names indexes that are left out."""
    definition = {part: WANTED[part] for part in STRUCTURE}
    for kind in ("GlobalSecondaryIndexes", "VectorIndexes"):
        definition[kind] = [each for each in WANTED[kind] if each["IndexName"] not in without]
    names = {"pk", "sk", *_keys_of(definition)}
    definition["AttributeDefinitions"] = [
        each for each in WANTED["AttributeDefinitions"] if each["AttributeName"] in names
    ]
    return {part: value for part, value in definition.items() if value}


def _keys_of(definition: dict[str, Any]) -> Iterator[str]:
    for index in (*definition["GlobalSecondaryIndexes"], *definition["VectorIndexes"]):
        for key in (*index.get("KeySchema", ()), *index.get("SearchSchema", ())):
            yield key["AttributeName"]


def table_of(client: "DynamoDBClient", **tags: str) -> Table:
    return Table(client, NAME, WANTED, tags)


def settings(gaps: list[Gap]) -> list[str]:
    return [each.setting for each in gaps]


def never(_: float) -> None:
    raise AssertionError("the table is active at once")


def at_once(_: float) -> None:
    """Ask again without a pause."""


def test_a_restored_table_lacks_all_that_aws_does_not_restore(aws: "DynamoDBClient") -> None:
    assert settings(table_gaps(table_of(aws, team="memory"))) == UNSET


def test_a_recovered_table_lacks_nothing(aws: "DynamoDBClient") -> None:
    table = table_of(aws, team="memory")

    recover_table(table, dry_run=False, pause=never)

    assert table_gaps(table) == []
    described: Any = aws.describe_table(TableName=NAME)["Table"]
    backups: Any = aws.describe_continuous_backups(TableName=NAME)["ContinuousBackupsDescription"]
    assert described["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert backups["PointInTimeRecoveryDescription"]["RecoveryPeriodInDays"] == 14
    assert stream_arn(table) == described["LatestStreamArn"]


def test_recovering_again_changes_nothing(
    aws: "DynamoDBClient", capsys: pytest.CaptureFixture[str]
) -> None:
    table = table_of(aws)
    recover_table(table, dry_run=False, pause=never)
    stream = stream_arn(table)
    capsys.readouterr()

    recover_table(table, dry_run=False, pause=never)

    assert capsys.readouterr().out == f"{NAME} has every setting of the template\n"
    assert stream_arn(table) == stream


def test_a_dry_run_prints_what_would_be_done_and_does_nothing(
    aws: "DynamoDBClient", capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["recover", "--table", NAME, "--dry-run"])

    shown = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    shown_by_moto = ["vector index vectors_512", *UNSET[:-1]]  # the command's own client sees none
    assert [setting for setting, _, _ in shown] == shown_by_moto
    assert settings(table_gaps(table_of(aws))) == UNSET[:-1]


def test_the_last_line_gives_the_table_to_the_stack(
    aws: "DynamoDBClient", capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["recover", "--table", NAME])

    stream = stream_arn(table_of(aws))
    assert code == 0
    assert capsys.readouterr().out.splitlines()[-1] == deploy_line(stream, NAME, None)
    assert f"TableName={NAME} TableStreamArn={stream}" in deploy_line(stream, NAME, None)


def test_a_table_that_is_not_there_is_refused(
    aws: "DynamoDBClient",  # noqa: ARG001 an account with another table
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main(["recover", "--table", "membrane-lost"])

    assert code == 1
    assert "there is no table membrane-lost" in capsys.readouterr().err


def test_a_stream_with_keys_alone_is_replaced() -> None:
    client = client_of(Database())
    view: Any = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client.create_table(TableName=NAME, **restored(), StreamSpecification=view)
    table = table_of(client)

    close_gaps(table, [*_stream_gaps(table, table.describe())], at_once)

    found: Any = client.describe_table(TableName=NAME)["Table"]["StreamSpecification"]
    assert found["StreamViewType"] == "NEW_AND_OLD_IMAGES"


@pytest.mark.parametrize("index", ["due", "vectors_512"])
def test_a_missing_index_is_made(index: str) -> None:
    with run_server(None) as endpoint:
        client = server_client(endpoint)
        client.create_table(TableName=NAME, **restored(index))
        table = table_of(client)
        (gap,) = _index_gaps(table, table.describe())

        assert gap.close is not None
        gap.close()

        described: Any = client.describe_table(TableName=NAME)["Table"]
        made = [*described["GlobalSecondaryIndexes"], *described["VectorIndexes"]]
        assert index in {each["IndexName"] for each in made}


def test_an_index_that_is_being_filled_is_waited_for() -> None:
    wanted = {**WANTED["VectorIndexes"][0], "IndexStatus": "ACTIVE", "Backfilling": True}
    filled = {**wanted, "Backfilling": False}
    replies = [{"TableStatus": "ACTIVE", "VectorIndexes": [each]} for each in (wanted, filled)]
    pauses: list[float] = []

    client: Any = Described(iter(replies))
    wait_until_active(table_of(client), pauses.append)

    assert pauses == [POLL_S]


@dataclass(frozen=True)
class Described:
    """A client that describes a table, differently each time."""

    replies: Iterator[Any]

    def describe_table(self, **_: Any) -> Any:
        return {"Table": next(self.replies)}


# --- Blobs --------------------------------------------------------------------------------------


def blob(digit: str) -> str:
    """The name of a blob of `record-1`."""
    return f"blobs/record-1/{digit * 64}"


def put_record(aws: "DynamoDBClient", *digits: str) -> None:
    """A record whose item names these values."""
    values = b"".join(bytes.fromhex(digit * 64) for digit in digits)
    put_item(aws, "record#record-1 record", values={"B": values})


def put_item(aws: "DynamoDBClient", key: str, **attributes: Any) -> None:
    pk, sk = key.split()
    aws.put_item(TableName=NAME, Item={"pk": {"S": pk}, "sk": {"S": sk}, **attributes})


def test_a_removed_blob_that_a_record_names_comes_back(
    aws: "DynamoDBClient", s3: "S3Client"
) -> None:
    blobs = blobs_in(s3, BUCKET)
    put_record(aws, "1", "2")
    for digit in "123":
        blobs.write(blob(digit), digit.encode())
    for digit in "23":
        blobs.remove(blob(digit))

    lost = recover_blobs(table_of(aws), s3, BUCKET, dry_run=False)

    assert lost == 0
    assert [blobs.get(blob(digit)) for digit in "123"] == [b"1", b"2", None]


def test_the_removed_values_of_a_document_and_of_its_history_come_back(
    aws: "DynamoDBClient", s3: "S3Client"
) -> None:
    blobs = blobs_in(s3, BUCKET)
    store_large_versions(aws, NAME, blobs, "abcdefg")
    names = [blob.name for blob in blobs.list_blobs()]
    for name in names:
        blobs.remove(name)

    lost = recover_blobs(table_of(aws), s3, BUCKET, dry_run=False)

    assert lost == 0
    assert [blob.name for blob in blobs.list_blobs()] == names
    assert len(names) == len("abcdefg")


def test_an_erased_blob_is_listed_as_lost(
    aws: "DynamoDBClient", s3: "S3Client", capsys: pytest.CaptureFixture[str]
) -> None:
    blobs = blobs_in(s3, BUCKET)
    put_record(aws, "1")
    blobs.write(blob("1"), b"1")
    blobs.erase(blob("1"))

    assert recover_blobs(table_of(aws), s3, BUCKET, dry_run=False) == 1

    assert capsys.readouterr().out.splitlines()[1:] == [f"lost: {blob('1')}"]


def test_a_value_that_a_topic_names_comes_back(aws: "DynamoDBClient", s3: "S3Client") -> None:
    name = f"blobs/topic@t-1/{'a' * 64}"
    put_item(aws, "topic#t-1 rev#l#1", values={"B": bytes.fromhex("a" * 64)})
    blobs = blobs_in(s3, BUCKET)
    blobs.write(name, b"value")
    blobs.remove(name)

    recover_blobs(table_of(aws), s3, BUCKET, dry_run=False)

    assert blobs.get(name) == b"value"


def test_a_damaged_item_is_listed_and_hides_no_other(
    aws: "DynamoDBClient", s3: "S3Client", capsys: pytest.CaptureFixture[str]
) -> None:
    put_record(aws, "1")
    put_item(aws, "record#record-2 record", values={"S": "no digests"})

    assert recover_blobs(table_of(aws), s3, BUCKET, dry_run=False) == 2

    shown = capsys.readouterr().out.splitlines()
    assert shown[1:] == [f"lost: {blob('1')}", "unreadable: record#record-2"]


def test_the_command_counts_and_lists_blobs(
    aws: "DynamoDBClient", s3: "S3Client", capsys: pytest.CaptureFixture[str]
) -> None:
    blobs = blobs_in(s3, BUCKET)
    put_record(aws, "1", "2")
    blobs.write(blob("1"), b"1")
    blobs.remove(blob("1"))

    tried = recover_blobs(table_of(aws), s3, BUCKET, dry_run=True)
    lost = recover_blobs(table_of(aws), s3, BUCKET, dry_run=False)

    assert (tried, lost) == (1, 1)
    assert capsys.readouterr().out.splitlines() == [
        "1 blobs to bring back, 1 lost",
        f"lost: {blob('2')}",
        "1 blobs brought back, 1 lost",
        f"lost: {blob('2')}",
    ]
    assert blobs.get(blob("1")) == b"1"
