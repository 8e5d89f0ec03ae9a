"""Whatever is asked in whatever order, the table in memory answers as dynoxide does."""

from itertools import count
from typing import Any

from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from membrane_local.memory.database import Database
from membrane_local.storage.clients import client_of
from tests.contract.table.conftest import DEFINITION, Item, number, text
from tests.worlds.depth import examples
from tests.worlds.dynoxide_server import server_client

TEXTS = st.sampled_from(["", "a", "b", "ab", "\u00e9", "x" * 1_100])
NUMBERS = st.sampled_from(["0", "1", "-1", "2.5", "-0.125", "1e3", "12345678901234567890"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        TEXTS.map(text),
        NUMBERS.map(number),
        st.binary(max_size=3).map(lambda each: {"B": each}),
        st.booleans().map(lambda each: {"BOOL": each}),
        st.just({"NULL": True}),
        st.sets(st.sampled_from("pqr"), min_size=1).map(lambda each: {"SS": sorted(each)}),
        st.sets(st.sampled_from("123"), min_size=1).map(lambda each: {"NS": sorted(each)}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2).map(lambda each: {"L": each}),
        st.dictionaries(st.sampled_from("uv"), inner, max_size=2).map(lambda each: {"M": each}),
    ),
    max_leaves=4,
)
NAMES = st.sampled_from(["n", "m", "of", "rank", "told"])
KEYS = st.tuples(st.sampled_from("pq"), st.sampled_from("st")).map(
    lambda each: {"pk": text(each[0]), "sk": text(each[1])}
)
ITEMS = st.tuples(KEYS, st.dictionaries(NAMES, VALUES, max_size=3)).map(
    lambda each: {**each[0], **each[1]}
)
VECTORS = st.lists(NUMBERS.map(number), min_size=3, max_size=3).map(lambda each: {"L": each})
SEARCHED = st.tuples(ITEMS, VECTORS, TEXTS).map(
    lambda each: {**each[0], "vector": each[1], "kind": text(each[2])}
)
PATHS = st.sampled_from(["#n", "#m", "#n.u", "#n[0]", "#m.v"])


def with_placeholders(expression: str, values: Item) -> Item:
    names = {f"#{name}": name for name in "nm" if f"#{name}" in expression}
    used = {name: value for name, value in values.items() if name in expression}
    return {
        **({"ExpressionAttributeNames": names} if names else {}),
        **({"ExpressionAttributeValues": used} if used else {}),
    }


@st.composite
def conditions(draw: st.DrawFn) -> str:
    path = draw(PATHS)
    simple = [
        f"attribute_exists({path})",
        f"attribute_not_exists({path})",
        f"{path} = :c",
        f"{path} <> :c",
        f"{path} < :c",
        f"{path} >= :c",
        f"{path} IN (:c, :d)",
        f"contains({path}, :c)",
        f"size({path}) > :one",
        f"attribute_type({path}, :type)",
    ]
    first, second = draw(st.sampled_from(simple)), draw(st.sampled_from(simple))
    shape = draw(st.sampled_from(["{}", "NOT {}", "{} AND {}", "{} OR NOT {}", "NOT ({} OR {})"]))
    return shape.format(first, second)


@st.composite
def updates(draw: st.DrawFn) -> str:
    path = draw(PATHS)
    return draw(
        st.sampled_from(
            [
                f"SET {path} = :c",
                f"SET {path} = if_not_exists({path}, :c)",
                f"SET {path} = {path} + :one",
                f"SET {path} = list_append(:list, {path})",
                "REMOVE #n",
                "ADD #n :one",
                "ADD #n :set",
                "DELETE #n :set REMOVE #m",
            ]
        )
    )


@st.composite
def actions(draw: st.DrawFn) -> tuple[str, Item]:
    """A write with its parameters."""
    kind = draw(st.sampled_from(["Put", "Update", "Delete"]))
    values = {
        ":c": draw(VALUES),
        ":d": draw(VALUES),
        ":one": number(1),
        ":type": text(draw(st.sampled_from(["S", "N", "L", "SS"]))),
        ":list": {"L": [text("new")]},
        ":set": {"SS": ["q", "z"]},
    }
    asked: Item = {"Item": draw(ITEMS | SEARCHED)} if kind == "Put" else {"Key": draw(KEYS)}
    expressions = ""
    if kind == "Update":
        asked["UpdateExpression"] = draw(updates())
        expressions += asked["UpdateExpression"]
    if draw(st.booleans()):
        asked["ConditionExpression"] = draw(conditions())
        asked["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        expressions += asked["ConditionExpression"]
    return kind, {**asked, **with_placeholders(expressions, values)}


_numbers = count()

CALLS = st.one_of(
    actions(),
    st.lists(actions(), min_size=1, max_size=3).map(lambda each: ("Transaction", {"Of": each})),
)


def answer(client: Any, table: str, kind: str, asked: Item) -> Any:
    """The reply, or the refusal's code with what is told of items."""
    try:
        if kind == "Transaction":
            items = [{each: {"TableName": table, **body}} for each, body in asked["Of"]]
            reply = client.transact_write_items(
                TransactItems=items, ReturnConsumedCapacity="INDEXES"
            )
        else:
            call = getattr(client, f"{kind.lower()}_item")
            returned = "ALL_NEW" if kind == "Update" else "ALL_OLD"
            reply = call(
                TableName=table, ReturnValues=returned, ReturnConsumedCapacity="INDEXES", **asked
            )
    except ClientError as error:
        reasons = error.response.get("CancellationReasons", ())
        told = [(each["Code"], plain(each.get("Item"))) for each in reasons]
        return error.response["Error"]["Code"], plain(error.response.get("Item")), told
    return plain(reply.get("Attributes")), reply["ConsumedCapacity"]


def by_request(ours: Any, asked: Item) -> list[Any]:
    """Dynoxide's answer where DynamoDB cancels a transaction for the key of an index.

    DynamoDB names the item, with the reason ValidationError; dynoxide may refuse the request.
    """
    put = [body["Item"] for kind, body in asked.get("Of", ()) if kind == "Put"]
    is_unfit = any(
        name in item and (kind not in item[name] or item[name] == text(""))
        for item in put
        for name, kind in (("of", "S"), ("rank", "N"))
    )
    is_cancelled = ours[0] == "TransactionCanceledException"
    if is_unfit and is_cancelled and any(code == "ValidationError" for code, _ in ours[2]):
        return [("ValidationException", None, [])]
    return []


def plain(value: Any) -> Any:
    """The value with sets in order."""
    if isinstance(value, dict):
        return {
            name: sorted(each) if name in ("SS", "NS") else plain(each)
            for name, each in value.items()
        }
    return [plain(each) for each in value] if isinstance(value, list) else value


def everything(client: Any, table: str) -> Any:
    """The items of the table and of its index by key, and what reading them consumes."""
    found = []
    for index in ({}, {"IndexName": "by_rank"}):
        page = client.scan(TableName=table, ReturnConsumedCapacity="TOTAL", **index)
        items = sorted(
            map(plain, page["Items"]), key=lambda each: (str(each["pk"]), str(each["sk"]))
        )
        found.append((items, page["ConsumedCapacity"]["CapacityUnits"]))
    return found


@settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(calls=st.lists(CALLS, min_size=1, max_size=12))
def test_every_call_is_answered_as_dynoxide_answers_it(
    endpoint: str, calls: list[tuple[str, Item]]
) -> None:
    table = f"law-{next(_numbers)}"
    clients = client_of(Database()), server_client(endpoint)
    for client in clients:
        client.create_table(TableName=table, **DEFINITION)

    for kind, asked in calls:
        ours, theirs = (answer(client, table, kind, asked) for client in clients)
        assert theirs in (ours, *by_request(ours, asked)), (kind, asked)

    ours, theirs = (everything(client, table) for client in clients)
    assert ours == theirs
    for client in clients:
        client.delete_table(TableName=table)
