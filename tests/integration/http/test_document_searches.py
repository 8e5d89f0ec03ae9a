"""Searches and listings of keyed documents over HTTP: filters, ranking, pages, few requests."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from time import process_time
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.integration.http.test_documents import ADA, DOCUMENTS, append, delete, get, keys_in, put
from tests.worlds.api import Api, Reply

SEARCH, NAMESPACES = f"{DOCUMENTS}/search", "/v1/namespaces"
LARGE = 128 * 1024
"""Values of so many bytes lie in the bucket."""
LONG = ["x" * 120] * 9
"""A namespace longer than the table's index can tell from those below."""


def search(api: Api, key: str | None = None, **asked: Any) -> dict[str, Any]:
    reply = api.post(SEARCH, asked, key=key)
    assert reply.status == 200, reply.body
    return dict(reply.body)


def found(api: Api, key: str | None = None, **asked: Any) -> list[str]:
    return [each["key"] for each in search(api, key, **asked)["documents"]]


def listing(api: Api, key: str | None = None, **asked: Any) -> Reply:
    return api.get(f"{NAMESPACES}?{urlencode(asked, doseq=True)}", key=key)


def namespaces(api: Api, **asked: Any) -> list[str]:
    return ["/".join(labels) for labels in listing(api, **asked).body["namespaces"]]


def pages(ask: Any, **asked: Any) -> Iterator[dict[str, Any]]:
    """Every page of a search or a listing."""
    page = ask(**asked)
    yield page
    while "next_cursor" in page:
        page = ask(**asked, cursor=page["next_cursor"])
        yield page


@contextmanager
def queries(api: Api) -> Iterator[list[str]]:
    """The requests for documents that the functions send meanwhile."""
    seen: list[str] = []

    def note(params: dict[str, Any], **_: object) -> None:
        if "documents#" in str(params):
            seen.append("Query")

    events = api.functions.store.dynamodb.meta.events
    events.register_first("provide-client-params.dynamodb.Query", note)
    try:
        yield seen
    finally:
        events.unregister("provide-client-params.dynamodb.Query", note)


ANN: dict[str, Any] = {
    "kind": "note",
    "score": 3,
    "open": True,
    "tags": ["red", "blue"],
    "user": {"name": "Ann", "age": 40, "city": None, "a.b": 1},
    "v.1": "dotted",
    "link": {"$ref": "x"},
}
MET: Sequence[dict[str, Any]] = (
    {},
    {"kind": "note", "score": 3},
    {"score": 3.0},
    {"score": {"$eq": 3}},
    {"score": {"$gt": 2, "$lt": 4}},
    {"score": {"$gte": 3, "$lte": 3.0}},
    {"kind": {"$gte": "nota", "$lt": "o"}},
    {"user": {"name": "Ann", "age": {"$gt": 39}}},
    {"user.age": {"$lt": 41}},
    {"user.a.b": 1},
    {"user": {}},
    {"user": {"city": None}},
    {"v.1": "dotted"},
    {"tags": ["red", "blue"]},
    {"absent": {"$ne": "anything"}},
    {"kind.deeper": {"$ne": 1}},
    {"absent": {"deeper": {"$ne": 1}}},
    {"open": {"$ne": 1}},
    {"link": {"$eq": {"$ref": "x"}}},
)
NOT_MET: Sequence[dict[str, Any]] = (
    {"kind": "Note"},
    {"kind": "note", "score": 4},
    {"score": "3"},
    {"score": {"$ne": 3.0}},
    {"score": {"$gt": 2, "$lt": 3}},
    {"score": {"$gt": "2"}},
    {"open": 1},
    {"open": {"$gte": False}},
    {"tags": ["red"]},
    {"tags": "red"},
    {"user": {"$eq": {"name": "Ann"}}},
    {"user.name.first": "Ann"},
    {"absent": None},
    {"absent": {"$lte": 5}},
    {"absent": {}},
    {"user": {"city": {"$ne": None}}},
    {"$gte": 3},
)


def test_a_filter_tells_values_by_their_fields(api: Api) -> None:
    put(api, "n", "ann", value=ANN)

    for conditions in MET:
        assert found(api, filter=conditions) == ["ann"], conditions
    for conditions in NOT_MET:
        assert found(api, filter=conditions) == [], conditions
    put(api, "n", "ann", value=4)
    assert found(api, filter={"$gte": 3}) == found(api, filter={"kind": {"$ne": 1}}) == ["ann"]


def nested(depth: int) -> dict[str, Any]:
    conditions: dict[str, Any] = {"a": 1}
    for _ in range(depth - 1):
        conditions = {"a": conditions}
    return conditions


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ("kind", "object of conditions"),
        ({"user": {"name": {"$regex": "A"}}}, "unknown operator $regex"),
        ({"$or": []}, "unknown operator $or"),
        ({"$" + "x" * 10_000: 1}, "unknown operator"),
        ({"score": {"$gt": 3, "name": 1}}, "operators such as $gt"),
        ({"k" * 513: 1}, "is too long"),
        ({"a": {str(number): 1 for number in range(50)}}, "at most 50 keys"),
        ({"a": [1] * 1_001}, "at most 1000 values"),
        (nested(9), "at most 8 levels"),
        ({"a": [[[[1] * 10] * 10] * 10] * 1_000}, "at most"),
    ],
)
def test_a_filter_is_refused_in_a_few_words_at_once(
    api: Api, conditions: Any, message: str
) -> None:
    before = process_time()

    reply = api.post(SEARCH, {"filter": conditions})

    assert (reply.status, reply.body["errors"][0]["field"]) == (400, "filter")
    assert message in reply.body["detail"]
    assert len(reply.body["detail"]) < 300
    assert process_time() - before < 5
    assert api.post(SEARCH, {"filter": nested(8)}).status == 200


def test_hidden_documents_are_not_found_counted_or_listed(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    put(api, "mixed", "a-expired", asked={"ttl_seconds": 5})
    put(api, "mixed", "d-shown")
    put(api, "deleted", "b")
    put(api, "secret", "c", asked={"sensitivity": "hyper"})
    put(api, "expired", "e", asked={"ttl_seconds": 5})
    delete(api, "deleted", "b")
    clock.advance(timedelta(seconds=5))
    reader = api.key_for(permissions=("read",), max_sensitivity="medium")

    shown = search(api, reader)

    assert ([each["key"] for each in shown["documents"]], shown["examined"]) == (["d-shown"], 1)
    assert listing(api, reader).body["namespaces"] == [["mixed"]]
    assert (found(api), namespaces(api)) == (["d-shown", "c"], ["mixed", "secret"])


def test_a_scope_beyond_the_key_has_neither_documents_nor_namespaces(api: Api) -> None:
    put(api, "n", "k", asked={"scope": "team"})
    stranger = api.key_for(scopes=("elsewhere",))

    with queries(api) as sent:
        assert search(api, stranger, scope="team") == {"documents": [], "examined": 0}
        reply = listing(api, stranger, scope="team")
    assert reply.body == {"namespaces": [], "examined": 0}
    assert sent == []
    assert found(api, scope="team") == ["k"]


@pytest.mark.parametrize("other", ["user", "users2", "Users", "users%", "user%2Fs", "*"])
def test_a_prefix_ends_on_the_border_of_a_label(api: Api, other: str) -> None:
    put(api, "users", "own")
    put(api, other, "ann", "foreign")

    assert found(api, namespace_prefix=["users"]) == ["own"]
    assert found(api, namespace_prefix=[other]) == ["foreign"]


def test_long_namespaces_are_told_apart_and_listed_once_each(api: Api) -> None:
    for number in range(4):
        for labels in (LONG, [*LONG, "a"], [*LONG, "b"]):
            put(api, *labels, f"{number}", value=labels[-1])

    shown = search(api, namespace_prefix=[*LONG, "a"])["documents"]
    listed = [
        labels
        for page in pages(lambda **asked: listing(api, **asked).body, limit=1)
        for labels in page["namespaces"]
    ]

    assert [each["value"] for each in shown] == ["a"] * 4
    every = sorted(listing(api).body["namespaces"])
    assert every == [LONG, [*LONG, "a"], [*LONG, "b"]]
    assert all(each in listed for each in every)


def test_few_requests_find_few_documents_among_many_and_the_cursor_goes_on(api: Api) -> None:
    for number in range(700):
        put(api, "n", f"{number:03}", value={"number": number, "even": number % 2 == 0})

    with queries(api) as sent:
        some = search(api, filter={"even": True, "number": {"$gte": 10}}, limit=3)
        few = len(sent)
        none = search(api, filter={"number": 699}, limit=1)

    assert [each["key"] for each in some["documents"]] == ["010", "012", "014"]
    assert (some["examined"], few, len(sent) - few) == (15, 2, 5)
    assert none["documents"] == []
    ends = pages(lambda **asked: search(api, **asked), filter={"number": {"$gte": 698}}, limit=1)
    assert [each["key"] for page in ends for each in page["documents"]] == ["698", "699"]


@pytest.mark.parametrize("seed", range(4))
def test_the_pages_of_searches_and_listings_hold_everything_once(api: Api, seed: int) -> None:
    chosen = Random(seed)
    labels = ("a", "b", "a-", "a/b", "-", "*", "ab", "é", "\U0010ffff")
    places = {
        (*chosen.choices(labels, k=chosen.randint(1, 3)), chosen.choice("klmn")) for _ in range(30)
    }
    for place in places:
        put(api, *place, value={"n": place[-1]})

    for limit in range(1, 5):
        asked = {"namespace_prefix": ["a"], "filter": {"n": {"$gte": "l"}}, "limit": limit}
        shown = [page["documents"] for page in pages(lambda **more: search(api, **more), **asked)]
        below = [(*each["namespace"], each["key"]) for page in shown for each in page]
        assert max(map(len, shown)) <= limit
        assert sorted(below) == sorted(each for each in places if each[0] == "a" != each[-1] > "k")
        cut = {each[:-1][:2] for each in places}
        listed = pages(lambda **more: listing(api, **more).body, max_depth=2, limit=limit)
        every = [tuple(each) for page in listed for each in page["namespaces"]]
        assert sorted(every) == sorted(cut)


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        ({}, ["a", "a/b", "a/b/c", "a/d/c", "ab/c", "x/b", "x/b/c"]),
        ({"prefix": ["a"]}, ["a", "a/b", "a/b/c", "a/d/c"]),
        ({"prefix": ["A"]}, []),
        ({"prefix": ["a*"]}, []),
        ({"prefix": ["*", "b"]}, ["a/b", "a/b/c", "x/b", "x/b/c"]),
        ({"prefix": ["a", "*", "c"]}, ["a/b/c", "a/d/c"]),
        ({"suffix": ["c"]}, ["a/b/c", "a/d/c", "ab/c", "x/b/c"]),
        ({"suffix": ["b", "*"]}, ["a/b/c", "x/b/c"]),
        ({"prefix": ["a"], "suffix": ["c"]}, ["a/b/c", "a/d/c"]),
        ({"max_depth": 2, "suffix": ["c"]}, ["a/b", "a/d", "ab/c", "x/b"]),
        ({"max_depth": 16}, ["a", "a/b", "a/b/c", "a/d/c", "ab/c", "x/b", "x/b/c"]),
        ({"prefix": ["a"], "max_depth": 1}, ["a"]),
    ],
)
def test_namespaces_are_listed_by_prefix_suffix_and_depth(
    api: Api, asked: dict[str, Any], labels: list[str]
) -> None:
    for namespace in ("a", "a/b", "a/b/c", "a/d/c", "ab/c", "x/b", "x/b/c"):
        put(api, *namespace.split("/"), "k")

    assert namespaces(api, **asked) == labels
    assert "next_cursor" not in listing(api, **asked).body


def test_listings_skip_what_cannot_be_listed(api: Api) -> None:
    for number in range(150):
        put(api, "a", "x", f"{number:03}", "k")
        put(api, "b", f"{number:03}")
    put(api, "c", "y", "k")

    for asked, listed in (
        ({"max_depth": 1}, ["a", "b", "c"]),
        ({"prefix": ["*", "y"]}, ["c/y"]),
        ({"prefix": ["b"]}, ["b"]),
    ):
        with queries(api) as sent:
            assert namespaces(api, **asked) == listed
        assert len(sent) <= 4


def test_a_listing_over_hidden_documents_ends_and_its_cursor_goes_on(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    put(api, "hidden", "0", asked={"ttl_seconds": 1})
    (item,) = [each for key, each in api.stored().items() if key.startswith("documents#")]
    for number in range(0, 3_300, 25):
        keys = [{"sk": {"S": f"{item['sk']['S']}{at:04}"}} for at in range(number, number + 25)]
        puts: list[Any] = [{"PutRequest": {"Item": {**item, **key}}} for key in keys]
        api.functions.store.dynamodb.batch_write_item(RequestItems={"membrane": puts})
    put(api, "shown", "k")
    clock.advance(timedelta(seconds=2))

    with queries(api) as sent:
        first, second = pages(lambda **asked: listing(api, **asked).body)

    assert (first["namespaces"], second["namespaces"]) == ([], [["shown"]])
    assert len(sent) <= 110


def test_a_cursor_belongs_to_one_search_of_one_caller(api: Api) -> None:
    for key in "abc":
        put(api, "n", key)
        put(api, key, "k")
    cursor = search(api, limit=1, namespace_prefix=["n"])["next_cursor"]
    of_list = listing(api, limit=2).body["next_cursor"]

    assert found(api, limit=2, namespace_prefix=["n"], cursor=cursor) == ["b", "c"]
    within = {"op": "search", "namespace_prefix": ["n"], "limit": 5, "cursor": cursor}
    batch = api.post(f"{DOCUMENTS}/batch", {"operations": [within]}).body["results"]
    assert [each["key"] for each in batch[0]["documents"]] == ["b", "c"]
    same: dict[str, Any] = {"limit": 1, "namespace_prefix": ["n"], "cursor": cursor}
    others = [
        api.post(SEARCH, {**same, **other})
        for other in ({"filter": {"a": 1}}, {"query": "w"}, {"cursor": cursor + "A"})
    ]
    others += [
        api.post(SEARCH, same, key=api.key_for(actor_id="bob")),
        listing(api, limit=2, cursor=of_list, suffix="c"),
        listing(api, limit=2, cursor=of_list, max_depth=1),
        listing(api, limit=2, cursor=cursor),
    ]
    for reply in others:
        assert (reply.status, "cursor" in str(reply.body)) == (400, True)
    assert namespaces(api, limit=1, cursor=of_list) == ["c"]


@pytest.mark.parametrize("query", ["", "sailing"], ids=["in order", "ranked"])
def test_a_reply_stays_within_its_room_and_the_rest_follows(api: Api, query: str) -> None:
    for number in range(50):
        asked = {"index": True} if query else {}
        put(api, "n", f"{number:02}", value=f"sailing {'x' * (LARGE - 200)}", asked=asked)
    more = {"query": query} if query else {}

    shown = [*pages(lambda **asked: search(api, **asked), limit=1_000, **more)]

    assert len(shown) == 2
    every = [each["key"] for page in shown for each in page["documents"]]
    assert sorted(every) == [f"{number:02}" for number in range(50)]


def large(**fields: Any) -> dict[str, Any]:
    """A value that lies in the bucket."""
    return {**fields, "padding": "x" * LARGE}


def test_a_call_reads_some_large_values_and_the_cursor_goes_on(api: Api) -> None:
    for number in range(18):
        put(api, "n", f"{number:02}", value=large(n=number), asked={"index": ["n"]})

    for asked in (
        {"filter": {"n": {"$gte": 0}}},
        {"query": "sailing", "filter": {"n": {"$gte": 0}}},
    ):
        first, second = pages(lambda **more: search(api, **more), limit=100, **asked)
        assert (first["examined"], second["examined"]) == (16, 2)
    assert found(api, filter={"n": 17}, limit=1) == []
    assert found(api, filter={"n": 5}, namespace_prefix=["n"]) == ["05"]


def test_a_call_ends_after_many_characters_and_the_cursor_goes_on(api: Api) -> None:
    count = 8 * 1024 * 1024 // (LARGE // 2) + 10
    for number in range(count):
        put(api, "n", f"{number:03}", value={"text": "x" * (LARGE // 2)})

    ask = {"query": "sailing", "filter": {"kind": "none"}}
    first, second = pages(lambda **asked: search(api, **asked), **ask)

    assert first["examined"] + second["examined"] == count
    assert second["examined"] in range(5, 15)


def test_a_query_ranks_the_indexed_texts_among_what_the_filter_leaves(api: Api) -> None:
    bread, boats = "baking bread at home", "sailing boats on the lake"
    put(api, "n", "a-plain", value={"text": "sailing boats"})
    put(api, "n", "b-other", value={"text": bread, "open": True}, asked={"index": ["text"]})
    put(api, "n", "c-match", value={"text": boats, "open": False}, asked={"index": ["text"]})
    put(api, "n", "d-empty", value={"title": "sailing"}, asked={"index": ["text"]})
    append(api, "n", "e-list", items=["sailing"])

    shown = search(api, query="Who sails a boat?")

    scores = {each["key"]: each["score"] for each in shown["documents"]}
    assert list(scores) == ["c-match", "b-other", "a-plain", "d-empty", "e-list"]
    assert 1.0 >= scores["c-match"] > scores["b-other"] >= 0.0
    assert {*scores.values()} == {scores["c-match"], scores["b-other"], None}
    assert shown["examined"] == 5
    assert found(api, query="Who sails a boat?", limit=3) == [*scores][:3]
    assert found(api, query="sailing", filter={"open": True}) == ["b-other"]
    assert "score" not in search(api, query="  ")["documents"][0]
    assert "value" not in search(api)["documents"][-1]


def test_vectors_of_another_embedder_do_not_count_but_words_do(api: Api) -> None:
    put(api, "n", "bread", value={"text": "baking bread"}, asked={"index": ["text"]})
    put(api, "n", "boats", value={"text": "sailing boats"}, asked={"index": ["text"]})
    for key, item in api.stored().items():
        if key.startswith("documents#"):
            other = {**item, "e": {"S": "predecessor"}}
            api.functions.store.dynamodb.put_item(TableName="membrane", Item=other)

    shown = search(api, query="sailing boats")["documents"]

    assert [(each["key"], each["score"]) for each in shown] == [
        ("boats", pytest.approx(1.0)),
        ("bread", 0.0),
    ]


JOBS = [{"title": "cook", "at": "Rome"}, {"title": "baker"}, {"at": "Oslo"}]
INDEXED: dict[str, Any] = {
    "name": "Ann",
    "age": 40,
    "open": True,
    "tags": ["violin", "tractor", ""],
    "jobs": JOBS,
    "home": {"city": "Paris", "street": {"name": "Rue"}},
}


@pytest.mark.parametrize(
    ("path", "word", "other"),
    [
        ("name", "Ann", "violin"),
        ("age", "40", "Ann"),
        ("tags", "tractor", "Ann"),
        ("tags[0]", "violin", "tractor"),
        ("tags[-2]", "tractor", "violin"),
        ("tags[*]", "tractor", "Ann"),
        ("jobs[*].title", "baker", "Rome"),
        ("jobs[-1].at", "Oslo", "Rome"),
        ("home.*", "Rue", "Ann"),
        ("*", "baker", "Berlin"),
        (True, "Oslo", "Berlin"),
    ],
)
def test_only_the_indexed_paths_of_a_value_are_searched(
    api: Api, path: Any, word: str, other: str
) -> None:
    put(api, "n", "ann", value=INDEXED, asked={"index": path if path is True else [path]})
    put(api, "n", "zoo", value={"text": f"{word} {other}"}, asked={"index": ["text"]})

    scores = [
        {each["key"]: each["score"] for each in search(api, query=asked)["documents"]}
        for asked in (word, other)
    ]

    assert scores[0]["ann"] > 0.3 > scores[1]["ann"]


@pytest.mark.parametrize("path", ["nothing", "absent", "name.deeper", "name[0]", "tags[9]"])
def test_a_path_without_text_indexes_nothing(api: Api, path: str) -> None:
    put(api, "n", "ann", value=INDEXED, asked={"index": [path]})

    assert search(api, query="Ann")["documents"][0]["score"] is None


@pytest.mark.parametrize(
    "path", ["", ".", "a..b", "a[", "a]", "a[x]", "a[]", "a[--1]", "a[0]b", "$.a", "a[9999999999]"]
)
def test_a_malformed_path_is_refused(api: Api, path: str) -> None:
    reply = put(api, *ADA, asked={"index": [path]})

    assert (reply.status, reply.body["errors"][0]["field"][:5]) == (400, "index")
    assert get(api, *ADA).status == 404


def test_a_search_refreshes_what_it_finds_where_the_key_may_write(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    for key, number in (("a", 1), ("b", 2)):
        put(api, "n", key, value={"n": number}, asked={"ttl_seconds": 60})
    clock.advance(timedelta(seconds=30))
    asked: dict[str, Any] = {"filter": {"n": 1}, "refresh": True}
    before = search(api, filter={"n": 1})["documents"][0]["expires_at"]

    reader = api.key_for(permissions=("read",))
    assert search(api, reader, **asked)["documents"][0]["expires_at"] == before
    assert search(api, **asked)["documents"][0]["expires_at"] > before

    clock.advance(timedelta(seconds=45))
    assert keys_in(api.post(SEARCH, {})) == ["a"]
