"""SearchVectors in memory and on moto's tables: what dynoxide answers, as AWS does."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws

from membrane_local.memory.database import Database
from membrane_local.storage.clients import client_of
from membrane_local.storage.moto import moto_client
from tests.contract.table.conftest import SIZE, vector_index
from tests.worlds.dynoxide_server import server_client

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

TABLE: dict[str, Any] = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "place", "kind")
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "VectorIndexes": [vector_index("place", "extra")],
}
"""A table whose index has a HASH attribute of its own, beside the table's keys."""

_numbers = count()

Item = dict[str, Any]


@pytest.fixture(params=["memory", "moto"])
def tables(
    request: pytest.FixtureRequest, endpoint: str
) -> Iterator[Mapping[str, "DynamoDBClient"]]:
    """A client of a table in this process, and one of dynoxide."""
    with mock_aws():
        ours = client_of(Database()) if request.param == "memory" else moto_client()
        yield {"ours": ours, "dynoxide": server_client(endpoint)}


def filled(clients: Mapping[str, "DynamoDBClient"], *items: Item) -> str:
    """The name of a new table that holds the items in each emulator."""
    name = f"searched-{next(_numbers)}"
    for client in clients.values():
        client.create_table(TableName=name, **TABLE)
        for item in items:
            client.put_item(TableName=name, Item=item)
    return name


def item(name: str, *vector: int | str, place: str | None = "a", **others: Any) -> Item:
    found: Item = {"pk": {"S": name}, "sk": {"S": "vector"}, **others}
    if place is not None:
        found["place"] = {"S": place}
    if vector:
        found["vector"] = {"L": [{"N": str(each)} for each in vector]}
    return found


def asking(table: str, **other: Any) -> dict[str, Any]:
    asked = {
        "TableName": table,
        "IndexName": "vectors",
        "SearchVector": [{"N": "1"}, {"N": "2"}, {"N": "-3"}],
        "TopK": 100,
        "SearchConditionExpression": "place = :a",
        "ExpressionAttributeValues": {":a": {"S": "a"}},
        "ReturnConsumedCapacity": "INDEXES",
        **other,
    }
    return {name: value for name, value in asked.items() if value is not None}


def answers(
    clients: Mapping[str, "DynamoDBClient"], table: str, **other: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What our table answers and what dynoxide does, scores rounded."""
    found = []
    for client in clients.values():
        reply: Any = client.search_vectors(**asking(table, **other))
        results = [(round(each["Score"], 9), each["Item"]) for each in reply["SearchResults"]]
        found.append({"results": results, "consumed": reply.get("ConsumedCapacity")})
    return found[0], found[1]


def test_a_described_table_has_the_index_that_it_was_made_with(
    tables: Mapping[str, "DynamoDBClient"],
) -> None:
    name = filled(tables)

    indexes: dict[str, Any] = {}
    for emulator, client in tables.items():
        described: Any = client.describe_table(TableName=name)["Table"]
        (index,) = described["VectorIndexes"]
        indexes[emulator] = {part: index[part] for part in TABLE["VectorIndexes"][0]}
        assert {each["AttributeName"] for each in described["AttributeDefinitions"]} >= {"place"}

    assert indexes["ours"] == indexes["dynoxide"] == TABLE["VectorIndexes"][0]


def test_the_nearest_come_first_with_what_the_index_holds_of_them(
    tables: Mapping[str, "DynamoDBClient"],
) -> None:
    name = filled(
        tables,
        item("same", 10, 20, -30, kind={"S": "x"}, extra={"S": "é" * 50}, other={"S": "no"}),
        item("near", 127, -12, -3, kind={"S": "y"}, extra={"N": "-12.5"}),
        item("away", -1, -2, 3, extra={"M": {"a": {"L": [{"N": "100"}, {"BOOL": True}]}}}),
        item("none", 0, 0, 0, extra={"SS": ["a", "bc"]}),
        item("elsewhere", 1, 2, -3, place="b"),
        item("without a place", 1, 2, -3, place=None),
        item("without a vector"),
    )

    ours, dynoxide = answers(tables, name)

    assert [each["pk"]["S"] for _, each in ours["results"]] == ["same", "near", "none", "away"]
    assert ours == dynoxide


@pytest.mark.parametrize(
    "other",
    [
        {"TopK": 2},
        {"ReturnConsumedCapacity": None},
        {"SearchVector": [{"N": "0"}] * SIZE},
        {"SearchConditionExpression": ":a = place"},
        {"SearchConditionExpression": "(place = :a) AND (kind = :a)"},
        {
            "SearchConditionExpression": "#s = :a and kind = :x",
            "ExpressionAttributeNames": {"#s": "place"},
            "ExpressionAttributeValues": {":a": {"S": "a"}, ":x": {"S": "x"}},
        },
        {"ProjectionExpression": "pk, extra"},
        {"ProjectionExpression": "pk, #e", "ExpressionAttributeNames": {"#e": "extra"}},
        {"ProjectionExpression": "pk, vector"},
    ],
)
def test_conditions_limits_and_projections_choose_as_dynamodb_does(
    tables: Mapping[str, "DynamoDBClient"], other: dict[str, Any]
) -> None:
    name = filled(
        tables,
        *(
            item(
                f"{place}{number}",
                number,
                number * number,
                -7,
                place=place,
                kind={"S": "xyz"[number % 3]},
                extra={"S": "e" * 200},
            )
            for place in "ab"
            for number in range(12)
        ),
    )

    ours, dynoxide = answers(tables, name, **other)

    assert ours == dynoxide


def test_in_finds_and_examines_what_one_search_for_each_value_does(
    tables: Mapping[str, "DynamoDBClient"],
) -> None:
    name = filled(
        tables,
        *(
            item(f"{n}", n, 1, 2, kind={"S": "xyz"[n % 3]}, extra={"S": "e" * 200})
            for n in range(9)
        ),
    )
    kinds = {":x": {"S": "x"}, ":y": {"S": "y"}}
    asked = {
        "SearchConditionExpression": "place = :a AND kind IN (:x, :y, :again)",
        "ExpressionAttributeValues": {":a": {"S": "a"}, **kinds, ":again": {"S": "x"}},
    }

    ours: Any = tables["ours"].search_vectors(**asking(name, **asked))

    whole, _ = answers(tables, name)
    wanted = [each for _, each in whole["results"] if each["kind"]["S"] in "xy"]
    assert [each["Item"] for each in ours["SearchResults"]] == wanted
    assert ours["ConsumedCapacity"] == whole["consumed"]


@pytest.mark.parametrize(
    "other",
    [
        {"TopK": 101},
        {"SearchVector": [{"N": "1"}]},
        {"SearchVector": [{"S": "1"}] * SIZE},
        {"IndexName": "others"},
        {"TableName": "no-such-table"},
        {"SearchConditionExpression": None, "ExpressionAttributeValues": None},
        {"SearchConditionExpression": "kind = :a"},
        {"SearchConditionExpression": "pk = :a"},
        {"SearchConditionExpression": "place <> :a"},
        {"SearchConditionExpression": "place = :a OR kind = :a"},
        {"SearchConditionExpression": "place = :a AND NOT kind = :a"},
        {"SearchConditionExpression": "begins_with(place, :a)"},
        {"SearchConditionExpression": "place = :a AND kind = :a AND kind = :a"},
        {"SearchConditionExpression": "place = "},
        {"SearchConditionExpression": "scope = :a"},
        {"ProjectionExpression": "hidden"},
        {"ProjectionExpression": "pk, #e"},
        {"SearchConditionExpression": ""},
        {"SearchConditionExpression": "place = :b"},
        {"SearchConditionExpression": "#s = :a"},
        {"ExpressionAttributeValues": {":a": {"N": "1"}}},
        {"ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"S": "b"}}},
        {"ExpressionAttributeNames": {"#s": "place"}},
    ],
)
def test_a_search_is_refused_as_dynoxide_does(
    tables: Mapping[str, "DynamoDBClient"], other: dict[str, Any]
) -> None:
    name = filled(tables, item("one", 1, 2, 3))

    refusals = []
    for client in tables.values():
        with pytest.raises(ClientError) as refusal:
            client.search_vectors(**asking(name, **other))
        refusals.append(refusal.value.response["Error"]["Code"])

    assert refusals[0] == refusals[1]


def test_an_update_and_a_removal_change_what_is_found(
    tables: Mapping[str, "DynamoDBClient"],
) -> None:
    name = filled(tables, item("moved", 1, 2, 3), item("gone", 1, 2, 3), item("stays", 3, 2, 1))
    for client in tables.values():
        client.update_item(
            TableName=name,
            Key={"pk": {"S": "moved"}, "sk": {"S": "vector"}},
            UpdateExpression="SET vector = :new REMOVE kind",
            ExpressionAttributeValues={":new": {"L": [{"N": "1"}, {"N": "2"}, {"N": "-3"}]}},
        )
        client.delete_item(TableName=name, Key={"pk": {"S": "gone"}, "sk": {"S": "vector"}})

    ours, dynoxide = answers(tables, name)

    assert [each["pk"]["S"] for _, each in ours["results"]] == ["moved", "stays"]
    assert ours == dynoxide


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    vectors=st.lists(st.tuples(*[st.integers(-127, 127)] * SIZE), max_size=8, unique=True),
    asked=st.tuples(*[st.integers(-127, 127)] * SIZE),
)
def test_both_score_alike(
    tables: Mapping[str, "DynamoDBClient"], vectors: list[Any], asked: Any
) -> None:
    name = filled(tables, *(item(f"{n}", *each) for n, each in enumerate(vectors)))

    ours, dynoxide = answers(tables, name, SearchVector=[{"N": str(each)} for each in asked])

    def by_score(answer: dict[str, Any]) -> list[Any]:
        return sorted((score, each["pk"]["S"]) for score, each in answer["results"])

    scores = [score for score, _ in ours["results"]]
    assert scores == sorted(scores)
    assert by_score(ours) == by_score(dynoxide)
    assert ours["consumed"] == dynoxide["consumed"]
