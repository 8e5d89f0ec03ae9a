"""Lists and histories of keyed documents over HTTP: pages, periods, rights and room in replies."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.http.test_documents import DOCUMENTS, append, delete, get, path_of, put
from tests.integration.http.test_large_values import follow
from tests.worlds.api import Api, Reply, repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

CHAT = ("users", "ann", "chat")
MAX_APPEND_BYTES = 128 * 1024
ROOM_BYTES = 5 * 1024 * 1024
"""What the items and versions of a reply take at most."""


def shown(api: Api, query: str = "items=1000", **options: Any) -> dict[str, Any]:
    reply = get(api, *CHAT, query=f"?{query}", **options)
    assert reply.status == 200, reply.body
    return dict(reply.body["document"])


def items(api: Api, **options: Any) -> list[Any]:
    return [each["value"] for each in shown(api, **options)["items"]]


def taken(reply: Reply) -> list[Any]:
    assert reply.status == 200, reply.body
    return [each["value"] for each in reply.body["items"]]


def versions(document: dict[str, Any]) -> list[int]:
    return [each["version"] for each in document["history"]]


def refused(reply: Reply) -> tuple[int, str]:
    return reply.status, reply.body["code"]


def pages(api: Api, name: str, count: int, more: str = "") -> "Iterator[list[Any]]":
    """The items, or the numbers of the former versions, the newest page first."""
    query = f"{name}={count}{more}"
    while True:
        document = shown(api, query)
        which = "value" if name == "items" else "version"
        yield [each[which] for each in document[name]]
        if f"next_{name}_before" not in document:
            return
        query = f"{name}={count}{more}&{name}_before={document[f'next_{name}_before']}"


def test_a_list_stands_beside_a_value_and_makes_no_version(api: Api) -> None:
    put(api, *CHAT, value={"title": "Hello"})
    append(api, *CHAT, items=[{"n": 1}, {"n": 2}])
    put(api, *CHAT, value={"title": "Bye"})
    append(api, *CHAT, items=[{"n": 3}])

    document = shown(api)

    assert (document["value"], document["version"]) == ({"title": "Bye"}, 2)
    assert [each["value"] for each in document["items"]] == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_the_newest_items_are_taken_off_over_several_appends(api: Api) -> None:
    for each in ([1, 2, 3], [4], [5]):
        append(api, *CHAT, items=each)

    assert taken(delete(api, *CHAT, query="?items=3")) == [3, 4, 5]
    assert taken(delete(api, *CHAT, query="?items=9")) == [1, 2]
    assert delete(api, *CHAT, query="?items=1").body == {"existed": True, "items": []}
    assert delete(api, "no", "list", query="?items=1").body == {"existed": False, "items": []}


def test_appending_and_taking_off_by_turns_leaves_one_item_of_the_table(api: Api) -> None:
    for number in range(20):
        append(api, *CHAT, items=[number])
        delete(api, *CHAT, query="?items=1")
    append(api, *CHAT, items=["last"])

    assert len([key for key in api.stored() if "items#" in key]) == 1
    assert items(api) == ["last"]


def test_a_key_stands_for_one_write_of_a_document(api: Api) -> None:
    once = {"idempotency-key": "once"}
    append(api, *CHAT, items=[1, 2, 3])
    assert taken(delete(api, *CHAT, query="?items=1", headers=once)) == [3]

    for other in (
        delete(api, *CHAT, query="?items=2", headers=once),
        delete(api, *CHAT, headers=once),
        put(api, *CHAT, value=1, headers=once),
        append(api, *CHAT, items=[9], headers=once),
    ):
        assert refused(other) == (409, "ALREADY_EXISTS")
    assert items(api) == [1, 2]


def test_two_callers_may_use_the_same_key(api: Api) -> None:
    once = {"idempotency-key": "once"}
    append(api, *CHAT, items=[1], headers=once)

    assert (
        append(api, *CHAT, items=[1], headers=once, key=api.key_for(actor_id="bob")).status == 200
    )
    assert items(api) == [1, 1]


def test_a_deleted_list_does_not_come_back_with_a_new_one(api: Api) -> None:
    append(api, *CHAT, items=[1, 2])
    delete(api, *CHAT)
    assert shown(api, "history=1&items=9&items_before=2")["items"] == []
    api.functions.clock.advance(timedelta(seconds=1))

    append(api, *CHAT, items=[3])

    assert list(pages(api, "items", 1)) in ([[3]], [[3], []])
    assert shown(api, "items=5&items_before=2")["items"] == []


def test_each_item_of_a_document_with_a_period_expires_by_itself(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    api.post(path_of(*CHAT, "items"), {"items": ["old"], "ttl_seconds": 60})
    clock.advance(timedelta(seconds=40))
    append(api, *CHAT, items=["new"])

    clock.advance(timedelta(seconds=30))

    assert items(api) == ["new"]
    clock.advance(timedelta(seconds=40))
    assert get(api, *CHAT).status == 404


def test_items_of_others_are_taken_off_and_deleted_with_revise_alone(api: Api) -> None:
    ann, bob = (api.key_for(actor_id=each, permissions=("ingest", "read")) for each in "ab")
    append(api, *CHAT, items=["begins the document"], key=ann)
    append(api, *CHAT, items=["of Bob"], key=bob)

    for reply in (
        delete(api, *CHAT, query="?items=1", key=ann),
        delete(api, *CHAT, query="?items=2", key=bob),
        delete(api, *CHAT, key=ann),
    ):
        assert refused(reply) == (403, "PERMISSION_DENIED")
        assert "revise" in reply.body["detail"]
    for _ in range(11):  # Bob's item is not among the newest
        append(api, *CHAT, items=[*range(100)], key=ann)
    assert delete(api, *CHAT, key=ann).status == 403
    oldest = shown(api, "items=9&items_before=3")["items"]
    assert [each["value"] for each in oldest] == ["begins the document", "of Bob"]


def test_items_are_taken_off_by_keys_that_may_read(api: Api) -> None:
    append(api, *CHAT, items=[1], key=api.key_for(permissions=("ingest",)))

    reply = delete(api, *CHAT, query="?items=1", key=api.key_for(permissions=("ingest",)))

    assert (reply.status, "read" in reply.body["detail"]) == (403, True)
    assert items(api) == [1]


def test_an_append_above_the_sensitivity_of_the_document_is_refused(api: Api) -> None:
    put(api, *CHAT, asked={"sensitivity": "low"})

    reply = api.post(path_of(*CHAT, "items"), {"items": ["secret"], "sensitivity": "medium"})

    assert refused(reply) == (409, "FAILED_PRECONDITION")
    assert "sensitivity" in reply.body["detail"]
    assert items(api) == []


def test_a_removal_takes_off_the_items_of_a_bounded_number_of_appends(api: Api) -> None:
    for number in range(101):
        append(api, *CHAT, items=[number])

    assert taken(delete(api, *CHAT, query="?items=100")) == [*range(2, 101)]
    assert items(api) == [0, 1]


def test_parallel_appends_all_land(api: Api) -> None:
    with ThreadPoolExecutor(8) as pool:
        calls = [partial(append, api, *CHAT, items=[number]) for number in range(16)]
        replies = [*pool.map(repeated, calls)]

    assert {each.status for each in replies} == {200}
    assert sorted(items(api)) == [*range(16)]


def test_an_append_that_no_item_of_the_table_holds_is_refused_and_leaves_nothing(api: Api) -> None:
    reply = append(api, *CHAT, items=["x" * MAX_APPEND_BYTES])

    assert (reply.status, "items exceed" in reply.body["detail"]) == (413, True)
    assert get(api, *CHAT).status == 404


@pytest.mark.parametrize("seed", range(6))
def test_the_pages_of_a_list_are_the_list(api: Api, seed: int) -> None:
    chosen = Random(seed)
    append(api, *CHAT, items=[0])
    expected = [0]
    for number in range(1, 13):
        step = chosen.randint(-3, 3)
        if step > 0:
            made = [number * 10 + each for each in range(step)]
            append(api, *CHAT, items=made)
            expected += made
        elif step < 0:
            gone = expected[step:]
            assert taken(delete(api, *CHAT, query=f"?items={-step}")) == gone
            del expected[step:]
    count = chosen.randint(1, 4)

    found = [*pages(api, "items", count)]

    assert [item for page in reversed(found) for item in page] == expected
    assert all(len(page) == count for page in found[:-1])


def test_a_page_leaves_out_what_came_since_the_page_before(api: Api) -> None:
    append(api, *CHAT, items=[1, 2, 3, 4])
    newest = shown(api, "items=2")

    append(api, *CHAT, items=[5])
    delete(api, *CHAT, query="?items=2")
    append(api, *CHAT, items=[6])
    older = shown(api, f"items=9&items_before={newest['next_items_before']}")

    assert [each["value"] for each in older["items"]] == [1, 2]
    assert "next_items_before" not in older


@pytest.mark.parametrize("name", ["items", "history"])
def test_the_first_page_may_be_empty_and_each_begins_below_a_position(api: Api, name: str) -> None:
    put(api, *CHAT)

    reply = get(api, *CHAT, query=f"?{name}=5&{name}_before=0")

    assert [*pages(api, name, 5)] == [[]]
    assert (reply.status, f"{name}_before" in str(reply.body)) == (400, True)


def test_a_list_larger_than_a_reply_comes_in_pages_that_fit(api: Api) -> None:
    for number in range(100):
        append(api, *CHAT, items=[f"{number:02}" + "x" * (MAX_APPEND_BYTES - 16)])

    found = [*pages(api, "items", 1_000)]

    assert [int(item[:2]) for page in reversed(found) for item in page] == [*range(100)]
    assert max(map(len, found)) * MAX_APPEND_BYTES <= ROOM_BYTES
    assert len(found) == 3


@pytest.mark.parametrize(("count", "limit"), [(1, 1), (6, 2), (30, 7), (65, 100)])
def test_the_pages_of_a_history_are_the_history_in_a_chain_that_holds(
    api: Api, count: int, limit: int
) -> None:
    for number in range(count):
        put(api, *CHAT, value=f"{number} {'x' * (100_000 if count == 65 else 10)}")

    found = [*pages(api, "history", limit, "&verify=true")]

    assert [number for page in found for number in page] == [*range(count - 1, 0, -1)]
    if count == 65:
        assert len(found) == 2
    else:
        assert all(len(page) == limit for page in found[:-1])
    assert shown(api, "history=3&verify=true")["verified"] is True


def test_items_and_versions_share_the_room_of_a_reply(api: Api) -> None:
    for _ in range(35):
        put(api, *CHAT, value="x" * 100_000)
        append(api, *CHAT, items=["y" * 100_000])

    document = shown(api, "items=100&history=100")
    rest = shown(api, f"history=100&history_before={document['next_history_before']}")
    for _ in range(25):
        append(api, *CHAT, items=["y" * 100_000])

    assert len(document["items"]) == 35
    assert 0 < len(document["history"]) < 34
    assert versions(document) + versions(rest) == [*range(34, 0, -1)]
    # items that fill the reply leave room for a version a page
    assert list(islice(pages(api, "history", 100, "&items=1000"), 3)) == [[34], [33], [32]]


def test_a_document_made_anew_continues_the_chain_and_shows_nothing_of_the_one_before(
    api: Api,
) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    for number in range(4):
        put(api, *CHAT, value=f"secret {number}", asked={"rationale": "secret"})
    delete(api, *CHAT, body={"rationale": "secret"})
    clock.advance(timedelta(seconds=9))

    made = put(api, *CHAT, value="anew", asked={"expected_version": 0})
    put(api, *CHAT, value="again")

    assert (made.body["version"], made.body["existed"]) == (6, False)
    assert [*pages(api, "history", 1)] == [[6]]
    document = shown(api, "history=9&items=9&verify=true")
    assert (versions(document), document["verified"]) == ([6], True)
    assert document["created_at"] == document["updated_at"]
    assert "secret" not in json.dumps(document)
    assert shown(api, "history=9&history_before=6")["history"] == []


def test_what_was_more_sensitive_before_is_shown_to_no_lower_key(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    high = {"sensitivity": "high", "rationale": "secret"}
    put(api, "n", "deleted", value="secret", asked=high)
    delete(api, "n", "deleted", body={"rationale": "secret"})
    put(api, "n", "expired", value="secret", asked={**high, "ttl_seconds": 60})
    put(api, "n", "lowered", value="secret", asked=high)
    clock.advance(timedelta(seconds=60))

    put(api, "n", "deleted")
    append(api, "n", "expired", items=[1])
    put(api, "n", "lowered", asked={"sensitivity": "low"})

    reader = api.key_for(permissions=("read",), max_sensitivity="low")
    for key in ("deleted", "expired", "lowered"):
        reply = get(api, "n", key, query="?history=9&items=9&verify=true", key=reader)
        assert (reply.status, reply.body["document"]["verified"]) == (200, True)
        assert "secret" not in str(reply.body)


def test_an_overwrite_keeps_the_sensitivity_and_lowers_it_as_admin_alone(api: Api) -> None:
    key = api.key_for(permissions=("ingest", "read", "revise"), max_sensitivity="medium")
    put(api, *CHAT, asked={"sensitivity": "medium"}, key=key)
    put(api, *CHAT, value=2, key=key)

    lowered = put(api, *CHAT, asked={"sensitivity": "low"}, key=key)

    assert shown(api)["sensitivity"] == "medium"
    assert (lowered.status, "admin" in lowered.body["detail"]) == (403, True)
    assert put(api, *CHAT, asked={"sensitivity": "high"}, key=key).status == 403
    assert put(api, *CHAT, asked={"sensitivity": "low"}).status == 200


def test_a_repeat_shows_nothing_of_a_document_that_is_hidden_or_deleted_since(api: Api) -> None:
    key = api.key_for(permissions=("ingest", "read"), max_sensitivity="low")
    for name in ("raised", "deleted"):
        put(api, "n", name, key=key, headers={"idempotency-key": name})
    put(api, "n", "raised", value="secret", asked={"sensitivity": "hyper", "index": ["secret.x"]})
    delete(api, "n", "deleted")

    for name in ("raised", "deleted"):
        again = put(api, "n", name, key=key, headers={"idempotency-key": name})
        assert again.body == {"version": 1, "existed": False}
        assert "etag" not in again.headers


def test_an_erasure_takes_every_value_and_text_also_of_a_deleted_document(api: Api) -> None:
    for number in range(12):
        put(api, *CHAT, value={"secret": number}, asked={"rationale": f"secret {number}"})
    append(api, *CHAT, items=["secret"])
    delete(api, *CHAT, body={"rationale": "secret"})

    assert delete(api, *CHAT, query="?erase=true").status == 200

    document = shown(api, "history=100&items=100&verify=true")
    assert (document["verified"], document["items"], len(versions(document))) == (True, [], 13)
    assert "secret" not in json.dumps(document)
    assert "secret" not in str(api.stored())


@pytest.mark.parametrize("query", ["?erase=true&items=1", "?items=1"])
def test_erase_and_an_operation_id_exclude_items(api: Api, query: str) -> None:
    body = None if "erase" in query else {"operation_id": "op"}

    reply = delete(api, *CHAT, query=query, body=body)

    assert (reply.status, "exclude" in str(reply.body)) == (400, True)


def test_a_document_fades_where_asked_and_a_refresh_restores_it(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    put(api, *CHAT, asked={"half_life_seconds": 100})
    clock.advance(timedelta(seconds=200))
    assert shown(api)["salience"] == pytest.approx(0.25)

    assert shown(api, "refresh=true")["version"] == 1
    clock.advance(timedelta(seconds=100))

    assert shown(api)["salience"] == pytest.approx(0.5)
    clock.advance(timedelta(seconds=900))
    assert get(api, *CHAT).status == 404


def test_a_large_former_value_is_linked_to_from_the_history(api: Api) -> None:
    values = [{"text": letter * 3_000_000} for letter in "ab"]
    for value in (*values, 2):
        put(api, *CHAT, value=value)

    links = [each["value"] for each in shown(api, "history=2")["history"]]

    for link, value in zip(links, reversed(values), strict=True):
        kept = follow(api, link["$blob"]["url"]).body if "$blob" in link else json.dumps(link)
        assert json.loads(kept) == value


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"value": None}, "value"),
        ({"ttl_seconds": 0}, "ttl_seconds"),
        ({"ttl_seconds": 1e12}, "ttl_seconds"),
        ({"half_life_seconds": -1}, "half_life_seconds"),
        ({"expected_version": -1}, "expected_version"),
        ({"index": "yes"}, "index"),
        ({"index": ["a"] * 9}, "index"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_a_bad_request_names_the_field_and_leaves_nothing(
    api: Api, bad: dict[str, Any], field: str
) -> None:
    reply = put(api, *CHAT, asked=bad)

    assert (reply.status, reply.body["errors"][0]["field"]) == (400, field)
    assert get(api, *CHAT).status == 404


def test_a_refused_write_leaves_no_receipt_and_an_id_stands_for_one_write(api: Api) -> None:
    path, asked = "/v1/document-operations?operation_id=op", {"operation_id": "op"}
    assert put(api, *CHAT, asked={**asked, "expected_version": 7}).status == 409
    assert api.get(path).status == 404

    put(api, *CHAT, value=1)
    delete(api, *CHAT, body=asked)

    assert api.get(path).body["version"] == 2
    for other in (put(api, "n", "other", asked=asked), put(api, *CHAT, value=2, asked=asked)):
        assert refused(other) == (409, "ALREADY_EXISTS")
    assert api.get(path).body["key"] == CHAT[-1]


@pytest.mark.parametrize(
    "bad",
    [
        {"op": "put", "scope": "other", "value": 1},
        {"op": "put", "sensitivity": "hyper", "value": 1},
        {"op": "delete", "erase": True},
    ],
)
def test_a_right_that_needs_no_document_is_checked_before_a_batch(
    api: Api, bad: dict[str, Any]
) -> None:
    key = api.key_for(permissions=("ingest", "read"), scopes=("team",), max_sensitivity="medium")
    place = {"namespace": ["a"], "key": "k"}
    operations = [{"op": "put", "value": 1, **place}, {**place, **bad}]

    reply = api.post(f"{DOCUMENTS}/batch", {"operations": operations, "check_first": True}, key=key)

    assert (reply.status, "operations.1" in reply.body["detail"]) == (403, True)
    assert api.post(f"{DOCUMENTS}/search", {}).body["documents"] == []


def test_reads_give_way_where_the_reply_of_a_batch_is_full_and_writes_never(api: Api) -> None:
    for number in range(60):
        put(api, "a", f"{number}", value="x" * 120_000)
    append(api, "a", "list", items=["kept"])
    gets = [{"op": "get", "namespace": ["a"], "key": f"{number}"} for number in range(60)]
    removal = {"op": "delete", "namespace": ["a"], "key": "list", "items": 1}

    reply = api.post(f"{DOCUMENTS}/batch", {"operations": [*gets, removal]})

    *read, popped = reply.body["results"]
    assert [each["value"] for each in popped["items"]] == ["kept"]
    statuses = [each["status"] for each in read]
    assert statuses == sorted(statuses)
    assert set(statuses) == {200, 413}


WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem")


@contextmanager
def killed_before_write(api: Api, number: int) -> "Iterator[None]":
    """The function ends before its write of this number, counted from 0."""
    seen: list[str] = []

    def end(params: dict[str, Any], **_: object) -> None:
        if "document" in str(params):
            seen.append("")
            if len(seen) > number:
                message = "killed"
                raise RuntimeError(message)

    events = api.functions.store.dynamodb.meta.events
    for each in WRITES:
        events.register_first(f"provide-client-params.dynamodb.{each}", end)
    try:
        yield
    finally:
        for each in WRITES:
            events.unregister(f"provide-client-params.dynamodb.{each}", end)


@pytest.mark.parametrize("query", ["?erase=true", ""], ids=["erasure", "deletion"])
def test_a_deletion_that_was_cut_off_shows_nothing_of_what_it_has_to_remove(
    api: Api, query: str
) -> None:
    for number in range(12):
        put(api, *CHAT, value=f"secret {number}", asked={"rationale": "secret"})
    append(api, *CHAT, items=["item"])
    document: dict[str, Any] = {}
    for number in range(20):
        if "deleted" in document:
            break
        with killed_before_write(api, number):
            assert delete(api, *CHAT, query=query).status == 500
        document = shown(api, "history=100&items=9&items_before=5")

    assert document["items"] == []
    assert ("secret" in json.dumps(document)) == (query == "")
    api.functions.clock.advance(timedelta(seconds=1))
    append(api, *CHAT, items=["new"])
    assert items(api) == ["new"]


@pytest.mark.parametrize(
    "headers",
    [
        {"if-match": "3"},
        {"if-match": ""},
        {"if-match": '"03"'},
        {"if-match": 'W/"3"'},
        {"if-match": '"3", "4"'},
        {"if-match": '"-1"'},
        {"if-match": '"\u0663"'},
        {"if-match": '"99999999999999999"'},
        {"if-none-match": '"3"'},
        {"if-match": "*", "if-none-match": "*"},
    ],
)
def test_a_header_that_names_no_version_is_refused(api: Api, headers: dict[str, str]) -> None:
    for reply in (put(api, *CHAT, headers=headers), delete(api, *CHAT, headers=headers)):
        assert (reply.status, "If-" in reply.body["detail"]) == (400, True)
    put(api, *CHAT)
    assert put(api, *CHAT, headers={"if-match": ' "1" '}).body["version"] == 2


def test_a_list_has_no_version_that_a_header_could_demand(api: Api) -> None:
    for headers in ({"if-match": '"1"'}, {"if-none-match": "*"}):
        reply = append(api, *CHAT, items=[1], headers=headers)
        assert (reply.status, "neither" in reply.body["detail"]) == (400, True)


@pytest.mark.parametrize("path", ["chats/42", "chats/items", "items", "chats/42/Items"])
def test_an_append_goes_to_the_items_of_a_document_alone(api: Api, path: str) -> None:
    reply = api.post(f"{DOCUMENTS}/{path}", {"items": [1]})

    assert (reply.status, [each["field"] for each in reply.body["errors"]]) == (
        400,
        ["namespace", "key"],
    )


@pytest.mark.parametrize(
    ("body", "query", "message"),
    [
        ({"erase": True}, "", "goes into the query"),
        ({"items": 1}, "", "goes into the query"),
        ({"scope": "a"}, "?scope=a", "stands in the query"),
        ({}, "?erase=yes", "true or false"),
        ({}, "?items=two", "must be an integer"),
        ({}, "?items=1&items=2", "once"),
        ({}, "?until=now", "unknown query parameter"),
    ],
)
def test_a_deletion_says_in_the_query_what_goes_and_in_the_body_why(
    api: Api, body: dict[str, Any], query: str, message: str
) -> None:
    reply = delete(api, *CHAT, query=query, body=body)

    assert (reply.status, message in str(reply.body)) == (400, True)


@pytest.mark.parametrize("body", [None, [], "text"])
def test_a_put_needs_a_body_that_is_an_object(api: Api, body: Any) -> None:
    assert api.call("PUT", path_of(*CHAT), body).status == 400
