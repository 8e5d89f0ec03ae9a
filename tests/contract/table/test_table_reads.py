"""Reads of a table: order, pages, indexes, batches, vectors and the stream."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
from botocore.exceptions import ClientError

from membrane_local.memory.database import Database
from membrane_local.storage.clients import client_of, streams_of
from tests.contract.table.conftest import Item, OneTable, item, made, number, text

WORDS = ["", "A", "Z", "a", "aa", "b", "\u00e9", "\uffff", "\U0001f600"]
"""In the order of their UTF-8: that of UTF-16 differs at the end."""


def sks(page: Any) -> list[str]:
    return [each["sk"]["S"] for each in page["Items"]]


def ranked(sk: str, rank: float | str, **more: Any) -> Item:
    return item(sk=sk, of=text("a"), rank=number(rank), **more)


def test_texts_come_in_the_order_of_their_bytes(table: OneTable) -> None:
    table.put(*(item(sk=f"s{each}") for each in reversed(WORDS)), item("other"))

    forwards = sks(table.query("pk = :p", {":p": text("p")}, ConsistentRead=True))
    backwards = sks(table.query("pk = :p", {":p": text("p")}, ScanIndexForward=False))

    if table.emulator == "moto":
        assert sorted(forwards) == sorted(backwards)  # by code points, which are in another order
    else:
        assert forwards == backwards[::-1] == [f"s{each}" for each in WORDS]


@pytest.mark.parametrize(
    ("condition", "values", "found"),
    [
        ("sk = :a", {":a": "b"}, ["b"]),
        ("sk < :a", {":a": "b"}, ["a", "aa"]),
        ("sk <= :a", {":a": "b"}, ["a", "aa", "b"]),
        ("sk > :a", {":a": "aa"}, ["b", "ba", "c"]),
        ("sk >= :a", {":a": "aa"}, ["aa", "b", "ba", "c"]),
        ("sk BETWEEN :a AND :b", {":a": "aa", ":b": "ba"}, ["aa", "b", "ba"]),
        ("begins_with(sk, :a)", {":a": "b"}, ["b", "ba"]),
    ],
)
def test_a_condition_of_the_sort_key_chooses(
    table: OneTable, condition: str, values: dict[str, str], found: list[str]
) -> None:
    table.put(*(item(sk=each) for each in ("c", "ba", "b", "aa", "a")), item("o", "b"))
    contents = {name: text(value) for name, value in values.items()}

    page = table.query(f"pk = :p AND {condition}", {":p": text("p"), **contents})

    assert sks(page) == found


def test_an_index_holds_the_items_with_its_keys_by_number(table: OneTable) -> None:
    ranks = ["10", "9", "-1.5", "1e2", "0.25"]
    table.put(
        *(ranked(rank, rank, told=text("t"), other=text("o")) for rank in ranks),
        item(sk="no rank", of=text("a")),
        item(sk="no partition", rank=number(1)),
    )

    asked: Any = {"IndexName": "by_rank", "ExpressionAttributeNames": {"#o": "of"}}
    page = table.query("#o = :a", {":a": text("a")}, **asked)
    few = table.query(
        "#o = :a AND #r > :r",
        {":a": text("a"), ":r": number(9)},
        IndexName="by_rank",
        ExpressionAttributeNames={"#o": "of", "#r": "rank"},
    )

    assert sks(page) == ["-1.5", "0.25", "9", "10", "1e2"]
    assert sks(few) == ["10", "1e2"]
    assert page["Items"][0] == ranked("-1.5", "-1.5", told=text("t"))


def test_an_index_follows_an_item_that_moves_leaves_and_goes(table: OneTable) -> None:
    def found() -> list[str]:
        asked: Any = {"IndexName": "by_rank", "ExpressionAttributeNames": {"#o": "of"}}
        return sks(table.query("#o = :a", {":a": text("a")}, **asked))

    seen = []
    table.put(ranked("one", 1), ranked("two", 2), ranked("three", 3))
    seen.append(found())
    table.put(ranked("one", 9))
    seen.append(found())
    table.put(item(sk="two"))
    seen.append(found())
    table.call("delete_item", Key=item(sk="one"))
    seen.append(found())

    assert seen == [
        ["one", "two", "three"],
        ["two", "three", "one"],
        ["three", "one"],
        ["three"],
    ]


def test_binary_keys_are_in_the_order_of_bytes(table: OneTable) -> None:
    digests = [b"\xff", b"\x00", b"\x7f\x01", b"\x7f"]
    table.put(*(item(sk=each.hex(), of=text("a"), digest={"B": each}) for each in digests))

    asked: Any = {"IndexName": "by_digest", "ExpressionAttributeNames": {"#o": "of"}}
    page = table.query("#o = :a", {":a": text("a")}, **asked)

    assert sks(page) == ["00", "7f", "7f01", "ff"]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("index", [None, "by_rank"])
def test_pages_go_on_where_the_last_one_ended_though_items_come_and_go(
    table: OneTable, index: str | None, *, backwards: bool
) -> None:
    table.put(*(ranked(f"{n:02}", n // 3) for n in range(10)))
    asked: Any = {"Limit": 3, "ScanIndexForward": not backwards}
    condition, names = ("pk = :v", {}) if index is None else ("#o = :v", {"#o": "of"})
    if index is not None:
        asked |= {"IndexName": index, "ExpressionAttributeNames": names}
    value = {":v": text("p" if index is None else "a")}

    pages = [table.query(condition, value, **asked)]
    table.call("delete_item", Key=item(sk=sks(pages[0])[-1]))
    while "LastEvaluatedKey" in pages[-1]:
        start = {"ExclusiveStartKey": pages[-1]["LastEvaluatedKey"]}
        pages.append(table.query(condition, value, **asked, **start))

    found = [each for page in pages for each in sks(page)]
    assert sorted(found) == [f"{n:02}" for n in range(10)]
    ranks = [int(each) // 3 for each in found]
    assert all((one >= other) if backwards else (one <= other) for one, other in pairwise(ranks))
    assert all(len(page["Items"]) <= 3 for page in pages)


def test_a_page_ends_after_a_megabyte(strict: OneTable) -> None:
    strict.put(*(item(sk=f"{n}", a=text("x" * 300_000)) for n in range(5)))

    pages = list(strict.client.get_paginator("scan").paginate(TableName=strict.name))

    assert [page["Count"] for page in pages] in ([3, 2], [4, 1])


def test_a_filter_takes_out_of_a_page_what_it_has_read(table: OneTable) -> None:
    table.put(*(item(sk=f"{n}", n=number(n)) for n in range(6)))

    page = table.query(
        "pk = :p", {":p": text("p"), ":n": number(3)}, FilterExpression="n >= :n", Limit=5
    )

    assert (sks(page), page["Count"], page["ScannedCount"]) == (["3", "4"], 2, 5)
    assert page["LastEvaluatedKey"] == item(sk="4")


def test_a_projection_gives_the_parts_that_it_names(table: OneTable) -> None:
    table.put(
        item(
            m={"M": {"a": number(1), "b": number(2)}}, l={"L": [text("x"), text("y")]}, n=number(1)
        )
    )

    found = table.call(
        "get_item",
        Key=item(),
        ProjectionExpression="m.a, l[1], #n, absent",
        ExpressionAttributeNames={"#n": "n"},
    )

    assert found["Item"] == {"m": {"M": {"a": number(1)}}, "l": {"L": [text("y")]}, "n": number(1)}


def test_a_parallel_scan_reads_each_partition_in_one_segment(table: OneTable) -> None:
    table.put(*(item(f"p{n % 7}", f"{n}") for n in range(30)))

    segments = [table.call("scan", Segment=n, TotalSegments=4)["Items"] for n in range(4)]

    keys = [[each["pk"]["S"] for each in segment] for segment in segments]
    assert sum(map(len, keys)) == 30
    if table.emulator != "moto":  # it cuts the list of items
        assert sum(len(set(each)) for each in keys) == 7


def test_a_batch_reads_100_different_keys_at_most(strict: OneTable) -> None:
    strict.put(*(item(sk=f"{n}") for n in range(3)))
    keys = [item(sk=f"{n}") for n in range(101)]

    for refused in (keys, [keys[0], keys[0]], []):
        with pytest.raises(ClientError) as error:
            strict.client.batch_get_item(RequestItems={strict.name: {"Keys": refused}})
        assert error.value.response["Error"]["Code"] == "ValidationException"

    found: Any = strict.client.batch_get_item(RequestItems={strict.name: {"Keys": keys[:100]}})
    assert sorted(each["sk"]["S"] for each in found["Responses"][strict.name]) == ["0", "1", "2"]
    assert found["UnprocessedKeys"] == {}


def test_a_batch_leaves_what_is_beyond_16_mb(strict: OneTable) -> None:
    strict.put(*(item(sk=f"{n}", a=text("x" * 400_000)) for n in range(50)))
    asked: Any = {strict.name: {"Keys": [item(sk=f"{n}") for n in range(50)]}}
    found: list[str] = []

    replies = 0
    while asked:
        reply: Any = strict.client.batch_get_item(RequestItems=asked)
        found += [each["sk"]["S"] for each in reply["Responses"][strict.name]]
        asked, replies = reply["UnprocessedKeys"], replies + 1

    assert replies > 1
    assert sorted(found, key=int) == [f"{n}" for n in range(50)]


def test_no_read_sees_half_of_a_transaction(memory: OneTable) -> None:
    table = memory
    places: Any = {table.name: {"Keys": [item(sk="a"), item(sk="b")], "ConsistentRead": True}}
    done = threading.Event()

    def write() -> None:
        for n in range(200):
            puts: Any = [
                {"Put": {"TableName": table.name, "Item": item(sk=sk, n=number(n))}} for sk in "ab"
            ]
            table.client.transact_write_items(TransactItems=puts)
        done.set()

    with ThreadPoolExecutor() as threads:
        writing = threads.submit(write)
        while not done.is_set() and not writing.done():
            reply: Any = table.client.batch_get_item(RequestItems=places)
            found = reply["Responses"][table.name]
            assert len({each["n"]["N"] for each in found}) <= 1
        writing.result()


STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}


def test_the_stream_has_every_change_with_both_images_in_order(database: Database) -> None:
    table = made("memory", client_of(database), **STREAM)
    streams = streams_of(database)
    one, other = item(sk="s", n=number(1)), item(sk="s", n=number(2), b={"B": b"\x00"})
    table.put(one, one, other)
    with pytest.raises(ClientError):
        table.call("delete_item", Key=item(), ConditionExpression="attribute_not_exists(pk)")
    table.call("delete_item", Key=item())
    arn: str = table.call("describe_table")["Table"]["LatestStreamArn"]

    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    records: list[Any] = []
    place: Any = {"ShardIteratorType": "TRIM_HORIZON"}
    while len(records) < 3:
        found = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **place)
        reply: Any = streams.get_records(ShardIterator=found["ShardIterator"], Limit=2)
        records += reply["Records"]
        number_ = records[-1]["dynamodb"]["SequenceNumber"]
        place = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": number_}

    assert [each["eventName"] for each in records] == ["INSERT", "MODIFY", "REMOVE"]
    changes = [each["dynamodb"] for each in records]
    assert [each.get("OldImage") for each in changes] == [None, one, {**other, "b": {"B": "AA=="}}]
    assert changes[1]["NewImage"] == {**other, "b": {"B": "AA=="}}
    numbers = [each["SequenceNumber"] for each in changes]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    "asked",
    [
        {"ExclusiveStartKey": {"pk": text("p"), "sk": number(1)}},
        {"KeyConditionExpression": "#o = :p AND begins_with(#r, :one)", "IndexName": "by_rank"},
        {"FilterExpression": "attribute_type(told, :one)"},
    ],
    ids=["start", "begins_with", "attribute_type"],
)
def test_a_value_of_a_wrong_type_is_refused(memory: OneTable, asked: Item) -> None:
    memory.put(item(of=text("p"), rank=number(1)))
    names = {"#o": "of", "#r": "rank"} if "IndexName" in asked else {}
    values = {":p": text("p")} | ({} if "ExclusiveStartKey" in asked else {":one": number(1)})
    usual: Item = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": values}
    more: Item = {"ExpressionAttributeNames": names} if names else {}

    with pytest.raises(ClientError, match="ValidationException"):
        memory.call("query", **(usual | asked | more))
