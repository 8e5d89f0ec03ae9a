"""A table's file: every call is in the file before its reply, or nowhere."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from membrane_local.memory import files
from membrane_local.memory.database import Database
from membrane_local.memory.files import open_file
from membrane_local.refusals import StoreRefused
from membrane_local.storage.clients import client_of, streams_of
from tests.contract.table.conftest import DEFINITION, item, number, text
from tests.contract.table.test_table_reads import STREAM

NAME = "kept"


def made(database: Database) -> Any:
    client: Any = client_of(database)
    client.create_table(TableName=NAME, **DEFINITION, **STREAM)
    return client


def contents(database: Database) -> Any:
    """What every kind of read says of the table."""
    client: Any = client_of(database)
    search = {
        "IndexName": "vectors",
        "SearchVector": [number(1), number(2), number(3)],
        "TopK": 9,
        "SearchConditionExpression": "#o = :a",
        "ExpressionAttributeNames": {"#o": "of"},
        "ExpressionAttributeValues": {":a": text("a")},
    }
    arn = client.describe_table(TableName=NAME)["Table"]["LatestStreamArn"]
    return (
        client.scan(TableName=NAME)["Items"],
        client.scan(TableName=NAME, IndexName="by_rank")["Items"],
        client.search_vectors(TableName=NAME, **search)["SearchResults"],
        stream_of(database, arn),
    )


def stream_of(database: Database, arn: str) -> Any:
    streams = streams_of(database)
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    place: Any = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = streams.get_shard_iterator(**place)["ShardIterator"]
    return streams.get_records(ShardIterator=iterator)["Records"]


def fill(client: Any) -> None:
    vector = {"L": [number(1), number(2), number("3.5")]}
    for sk in "abc":
        held = item(sk=sk, of=text("a"), rank=number(1), vector=vector, b={"B": b"\x00\xff"})
        client.put_item(TableName=NAME, Item=held)
    client.delete_item(TableName=NAME, Key=item(sk="b"))


def test_a_file_that_is_opened_again_says_what_it_said(tmp_path: Path) -> None:
    with open_file(tmp_path / "t.db") as file:
        database = Database.of_file(file)
        fill(made(database))
        before = contents(database)

    with open_file(tmp_path / "t.db") as file:
        again = Database.of_file(file)

        assert contents(again) == before
        client_of(again).put_item(TableName=NAME, Item=item(sk="d"))
        numbers = [each["dynamodb"]["SequenceNumber"] for each in contents(again)[3]]
        assert numbers == sorted(set(numbers))


def test_numbers_go_on_behind_what_was_trimmed(tmp_path: Path) -> None:
    with open_file(tmp_path / "t.db") as file:
        database = Database.of_file(file)
        fill(made(database))
        last = int(contents(database)[3][-1]["dynamodb"]["SequenceNumber"])
        database.trim(NAME, last + 1)

    with open_file(tmp_path / "t.db") as file:
        again = Database.of_file(file)
        assert contents(again)[3] == []
        client_of(again).put_item(TableName=NAME, Item=item(sk="d"))
        assert int(contents(again)[3][0]["dynamodb"]["SequenceNumber"]) == last + 1


WRITER = f"""
import sys
from pathlib import Path
from membrane_local.storage.clients import client_of
from membrane_local.memory.database import Database
from membrane_local.memory.files import open_file
with open_file(Path(sys.argv[1])) as file:
    client = client_of(Database.of_file(file))
    for number in range(100_000):
        puts = [{{"Put": {{"TableName": "{NAME}", "Item": {{
            "pk": {{"S": "p"}}, "sk": {{"S": f"{{number:06}}-{{half}}"}}}}}}}} for half in "ab"]
        client.transact_write_items(TransactItems=puts)
        print(number, flush=True)
"""


def test_a_killed_process_leaves_whole_transactions_up_to_the_last_that_was_answered(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.db"
    with open_file(path) as file:
        made(Database.of_file(file))
    writing = [sys.executable, "-c", WRITER, str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(writing, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        answered = -1
        for line in process.stdout:
            answered = int(line)
            if answered == 50:
                process.send_signal(signal.SIGKILL)

    with open_file(path) as file:
        items = contents(Database.of_file(file))[0]

    kept = [each["sk"]["S"] for each in items]
    assert kept == [f"{n:06}-{half}" for n in range(len(kept) // 2) for half in "ab"]
    assert len(kept) // 2 > answered >= 50


def test_a_file_that_cannot_be_written_ends_the_table_and_keeps_what_was_answered(
    tmp_path: Path,
) -> None:
    with open_file(tmp_path / "t.db") as file:
        database = Database.of_file(file)
        client = made(database)
        fill(client)
        before = contents(database)
        file._connection.execute("PRAGMA query_only = ON")  # noqa: SLF001 - as on a full disk

        for _ in range(2):
            with pytest.raises(ClientError, match="cannot be written") as refused:
                client.put_item(TableName=NAME, Item=item(sk="lost"))
            assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500

    with open_file(tmp_path / "t.db") as file:
        assert contents(Database.of_file(file)) == before


def test_a_call_waits_for_a_program_that_writes_and_the_next_call_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_LOCK_TIMEOUT_MS", 1)
    path = tmp_path / "memory.db"
    with open_file(path) as file, closing(sqlite3.connect(path, isolation_level=None)) as other:
        client = made(Database.of_file(file))
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(ClientError, match="in use"):
            client.put_item(TableName=NAME, Item=item(sk="a"))
        other.execute("ROLLBACK")
        client.put_item(TableName=NAME, Item=item(sk="b"))

        assert [each["sk"] for each in client.scan(TableName=NAME)["Items"]] == [text("b")]


def test_a_database_of_another_program_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE items (x)")
    before = path.read_bytes()

    with pytest.raises(StoreRefused, match="another program"), open_file(path):
        pass

    assert path.read_bytes() == before


def test_a_stream_that_was_turned_off_and_on_counts_anew(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_file(path) as file:
        client = made(Database.of_file(file))
        client.put_item(TableName=NAME, Item=item(sk="a"))
        client.update_table(TableName=NAME, StreamSpecification={"StreamEnabled": False})
        client.update_table(TableName=NAME, **STREAM)
        client.put_item(TableName=NAME, Item=item(sk="b"))

        assert len(client.scan(TableName=NAME)["Items"]) == 2
