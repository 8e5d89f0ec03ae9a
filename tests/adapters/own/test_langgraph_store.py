"""MembraneStore beyond the published suite: requests, errors, threads, limits."""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, date, datetime
from typing import Any, TypedDict

import httpx2
import pytest
from langchain_core.messages import HumanMessage
from langgraph.graph import START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
    TTLConfig,
)
from local_stack import API_KEY, URL, new_async_client, new_client, new_scope
from pydantic import BaseModel

from membrane_client import (
    AsyncMembrane,
    BadRequest,
    Conflict,
    ConnectionFailed,
    Forbidden,
    InvalidCall,
    Membrane,
    MembraneError,
    NotFound,
    PayloadTooLarge,
    ServerError,
)
from membrane_client.langgraph import MembraneStore

NOTES = ("users", "ada", "notes")


class _Profile(BaseModel):
    name: str


class _State(TypedDict, total=False):
    name: str
    known: str


@pytest.fixture
def store(client: Membrane, scope: str) -> MembraneStore:
    return MembraneStore(client, scope=scope)


@pytest.fixture
def requests() -> list[httpx2.Request]:
    """The requests of `counted`."""
    return []


@pytest.fixture
def counted(requests: list[httpx2.Request], scope: str) -> Iterator[MembraneStore]:
    with httpx2.Client(event_hooks={"request": [requests.append]}) as http:
        yield MembraneStore(Membrane(URL, API_KEY, http_client=http), scope=scope)


class TestBatches:
    def test_a_mixed_batch_is_one_request(
        self, counted: MembraneStore, requests: list[httpx2.Request]
    ) -> None:
        ops: list[Op] = [
            PutOp(NOTES, "a", {"n": 1}),
            GetOp(NOTES, "a"),
            SearchOp(("users",)),
            ListNamespacesOp(),
            PutOp(NOTES, "b", None),
        ]

        counted.batch(ops)

        assert [each.url.path for each in requests] == ["/v1/documents/batch"]

    def test_a_large_batch_is_a_request_for_each_100_operations(
        self, counted: MembraneStore, requests: list[httpx2.Request]
    ) -> None:
        counted.batch([PutOp(NOTES, f"{number}", {"n": number}) for number in range(250)])

        assert len(requests) == 3
        requests.clear()
        found = counted.batch([GetOp(NOTES, f"{number}") for number in range(250)])
        assert len(requests) == 3
        assert [each.value["n"] for each in found if isinstance(each, Item)] == [*range(250)]

    def test_reads_see_the_state_before_the_puts_of_their_batch(self, store: MembraneStore) -> None:
        store.put(NOTES, "a", {"n": 1})

        put, got, found, listed = store.batch(
            [
                PutOp(NOTES, "a", {"n": 2}),
                GetOp(NOTES, "a"),
                SearchOp(NOTES, filter={"n": 1}),
                ListNamespacesOp(),
            ]
        )

        assert put is None
        assert isinstance(got, Item)
        assert got.value == {"n": 1}
        assert [each.key for each in found or ()] == ["a"]  # type: ignore[union-attr]  # items
        assert listed == [NOTES]
        assert _value(store, "a") == {"n": 2}

    def test_of_two_puts_of_a_key_the_last_wins(
        self, store: MembraneStore, client: Membrane, scope: str
    ) -> None:
        store.batch([PutOp(NOTES, "a", {"n": 1}), PutOp(NOTES, "a", {"n": 2})])
        store.batch([PutOp(NOTES, "b", {"n": 1}), PutOp(NOTES, "b", None)])

        assert client.get_document(NOTES, "a", scope=scope).version == 1
        assert _value(store, "a") == {"n": 2}
        assert store.get(NOTES, "b") is None

    def test_a_batch_of_nothing_sends_nothing(
        self, counted: MembraneStore, requests: list[httpx2.Request]
    ) -> None:
        assert counted.batch([]) == []
        assert counted.batch([SearchOp((), limit=0), GetOp((), "a"), PutOp((), "a", None)]) == [
            [],
            None,
            None,
        ]
        assert requests == []

    def test_a_created_item_keeps_its_creation_when_it_is_put_again(
        self, store: MembraneStore
    ) -> None:
        store.put(NOTES, "a", {"n": 1})
        first = store.get(NOTES, "a")
        store.put(NOTES, "a", {"n": 2})
        second = store.get(NOTES, "a")

        assert first is not None
        assert second is not None
        assert first.created_at.utcoffset() is not None
        assert second.created_at == first.created_at
        assert second.updated_at > first.updated_at

    def test_values_of_more_bytes_than_a_request_and_a_reply_carry(
        self, store: MembraneStore
    ) -> None:
        texts = {f"{number}": f"{number}" * 120_000 for number in range(1, 90)}
        texts["large"] = "ä" * 2_000_000

        store.batch([PutOp(NOTES, key, {"text": text}) for key, text in texts.items()])

        got = store.batch([GetOp(NOTES, key) for key in texts])
        assert [each.value["text"] for each in got if isinstance(each, Item)] == [*texts.values()]
        found = store.search(NOTES, limit=100)
        assert {each.key: each.value["text"] for each in found} == texts
        assert store.search(NOTES, limit=9, offset=80) == found[80:89]


class TestValues:
    def test_a_set_and_a_tuple_become_lists_and_other_keys_texts(
        self, store: MembraneStore
    ) -> None:
        at = datetime(2026, 1, 1, tzinfo=UTC)

        store.put(NOTES, "a", {"set": {1}, "tuple": (1, 2), 3: "three", "at": at})  # type: ignore[dict-item]  # a number

        assert _value(store, "a") == {
            "set": [1],
            "tuple": [1, 2],
            "3": "three",
            "at": "2026-01-01T00:00:00+00:00",
        }

    @pytest.mark.parametrize(
        ("value", "error"),
        [
            (datetime(2026, 1, 1), InvalidCall),  # noqa: DTZ001 - without an offset
            (float("inf"), InvalidCall),
            (date(2026, 1, 1), TypeError),
            (b"tea", TypeError),
            (_Profile(name="Ada"), TypeError),
            (HumanMessage("hello"), TypeError),
            ((each for each in "ab"), TypeError),
            ({(1, 2): "a"}, TypeError),
        ],
    )
    def test_a_value_without_a_form_in_json_raises(
        self, store: MembraneStore, value: Any, error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            store.put(NOTES, "a", {"value": value})

    @pytest.mark.parametrize("name", ["$upload", "$blob"])
    def test_a_reserved_name_is_refused_as_the_only_field_of_the_value(
        self, store: MembraneStore, name: str
    ) -> None:
        with pytest.raises((BadRequest, NotFound)):
            store.put(NOTES, "a", {name: "a"})

        for value in ({name: "a", "n": 1}, {"inner": {name: "a"}}):
            store.put(NOTES, "a", value)
            assert _value(store, "a") == value

    @pytest.mark.parametrize("label", ["", ".", "ada@mail.com"])
    def test_a_label_that_langgraph_does_not_take_raises(
        self, store: MembraneStore, label: str
    ) -> None:
        with pytest.raises(InvalidNamespaceError):
            store.put(("users", label), "a", {"n": 1})
        with pytest.raises(InvalidNamespaceError):
            store.put(("langgraph", "users"), "a", {"n": 1})


class TestErrors:
    @pytest.mark.parametrize(
        "op",
        [
            PutOp(("l" * 129,), "a", {"n": 1}),
            PutOp(NOTES, "", {"n": 1}),
            PutOp(NOTES, "a", {"n": 1}, index=["a..b"]),
        ],
    )
    def test_a_refused_operation_refuses_its_batch_before_any_effect(
        self, client: Membrane, scope: str, op: Any
    ) -> None:
        store = MembraneStore(client, scope=scope, index={})

        with pytest.raises(BadRequest):
            store.batch([PutOp(NOTES, "valid", {"n": 1}), op])

        assert store.get(NOTES, "valid") is None

    @pytest.mark.parametrize(
        ("op", "error"),
        [
            (PutOp((), "a", {"n": 1}), InvalidNamespaceError),
            (PutOp(NOTES, "a", {"n": 1}, ttl=-1.0), ValueError),
            (ListNamespacesOp(max_depth=0), ValueError),
            (PutOp(NOTES, "a", {"n": float("nan")}), ValueError),
            (PutOp(NOTES, "a", {"n": object()}), TypeError),
            (SearchOp((), filter={"n": {"$regex": "x"}}), ValueError),
            (SearchOp((), filter={"n": {"m": {"$in": [1]}}}), ValueError),
            (SearchOp((), filter={"a b": 1}), ValueError),
            (ListNamespacesOp((MatchCondition("infix", ("a",)),)), ValueError),  # type: ignore[arg-type]  # refused
            ("get", ValueError),
        ],
    )
    def test_an_invalid_operation_sends_nothing(
        self,
        counted: MembraneStore,
        requests: list[httpx2.Request],
        op: Any,
        error: type[Exception],
    ) -> None:
        with pytest.raises(error):
            counted.batch([PutOp(NOTES, "valid", {"n": 1}), op])

        assert requests == []

    def test_an_unknown_key_and_a_silent_service_raise(self, scope: str) -> None:
        with Membrane(URL, "unknown") as stranger, pytest.raises(Forbidden):
            MembraneStore(stranger, scope=scope).get(NOTES, "a")
        with (
            Membrane("http://127.0.0.1:9", "key", max_retries=0) as alone,
            pytest.raises(ConnectionFailed),
        ):
            MembraneStore(alone, scope=scope).put(NOTES, "a", {"n": 1})

    def test_a_wrong_url_is_no_absent_item(self, scope: str) -> None:
        with Membrane(f"{URL}/stage", API_KEY) as client, pytest.raises(NotFound, match="url"):
            MembraneStore(client, scope=scope).get(NOTES, "a")

    def test_a_user_does_not_see_the_items_of_another_user(self, client: Membrane) -> None:
        ada = MembraneStore(client.with_options(user=f"ada-{new_scope()}"))
        bob = MembraneStore(client.with_options(user=f"bob-{new_scope()}"))

        ada.put(NOTES, "a", {"n": 1})

        assert _value(ada, "a") == {"n": 1}
        assert bob.get(NOTES, "a") is None
        assert bob.search(()) == []
        assert bob.list_namespaces() == []


class TestAnswersForLater:
    """The service answers a part of a batch with 503 or 413 when time or room is spent."""

    @staticmethod
    def _store(*answers: list[int]) -> tuple[MembraneStore, list[Any]]:
        """A store whose service answers so, and the bodies with the keys of the requests."""
        left, seen = iter(answers), list[Any]()

        def answer(request: httpx2.Request) -> httpx2.Response:
            body = json.loads(request.content)
            seen.append((request.headers["idempotency-key"], body["operations"]))
            results = [
                {"status": status}
                if status < 300
                else {"status": status, "error": {"status": status, "code": "LATER", "detail": ""}}
                for status in next(left)
            ]
            return httpx2.Response(200, json={"results": results})

        http = httpx2.Client(transport=httpx2.MockTransport(answer))
        client = Membrane("http://service.test", "key", max_retries=0, http_client=http)
        return MembraneStore(client), seen

    def test_operations_that_were_not_begun_are_sent_again_under_the_same_key(self) -> None:
        store, seen = self._store([200, 503, 503], [200, 503], [200])

        store.batch([PutOp(NOTES, key, {"n": 1}) for key in "abc"])

        assert [[each["key"] for each in operations] for _, operations in seen] == [
            ["a", "b", "c"],
            ["b", "c"],
            ["c"],
        ]
        assert len({key for key, _ in seen}) == 1

    def test_a_read_that_had_no_room_is_sent_again_before_the_writes_left(self) -> None:
        store, seen = self._store([200] * 99 + [413], [200] * 11)
        reads = [GetOp(NOTES, f"{number}") for number in range(100)]

        store.batch([*[PutOp(NOTES, f"put{number}", {"n": 1}) for number in range(10)], *reads])

        assert [each["op"] for each in seen[1][1]] == ["get", *["put"] * 10]

    @pytest.mark.parametrize(
        ("status", "error"),
        [(403, Forbidden), (404, NotFound), (409, Conflict), (500, ServerError)],
    )
    def test_every_refusal_is_raised(self, status: int, error: type[Exception]) -> None:
        for op in (GetOp(NOTES, "b"), SearchOp(NOTES), PutOp(NOTES, "b", None)):
            store, _ = self._store([200, status])

            with pytest.raises(error):
                store.batch([GetOp(NOTES, "a"), op])

    def test_a_first_operation_without_time_or_room_is_an_error(self) -> None:
        store, seen = self._store([503, 200])

        with pytest.raises(ServerError, match="503"):
            store.batch([PutOp(NOTES, "a", {"n": 1}), PutOp(NOTES, "b", {"n": 1})])

        assert len(seen) == 1


class TestPages:
    """The service ends a page where time, room or the limit of a page ends."""

    @staticmethod
    def _store(*pages: dict[str, Any]) -> tuple[MembraneStore, list[dict[str, Any]]]:
        """A store whose service answers with the pages, and the operations that were asked for."""
        left, seen = iter(pages), list[dict[str, Any]]()

        def answer(request: httpx2.Request) -> httpx2.Response:
            seen.extend(json.loads(request.content)["operations"])
            return httpx2.Response(200, json={"results": [{"status": 200, **next(left)}]})

        http = httpx2.Client(transport=httpx2.MockTransport(answer))
        client = Membrane("http://service.test", "key", max_retries=0, http_client=http)
        return MembraneStore(client, index={}), seen

    @staticmethod
    def _found(**scores: float | None) -> list[dict[str, Any]]:
        at = "2026-01-01T00:00:00Z"
        document = {"namespace": [*NOTES], "value": {}, "created_at": at, "updated_at": at}
        return [{**document, "key": key, "score": score} for key, score in scores.items()]

    def test_a_search_goes_on_until_the_limit(self) -> None:
        store, seen = self._store(
            {"documents": self._found(a=None), "next_cursor": "1"},
            {"documents": [], "next_cursor": "2"},
            {"documents": self._found(b=None, c=None), "next_cursor": "3"},
        )

        found = store.search(NOTES, limit=2, offset=1)

        assert [each.key for each in found] == ["b", "c"]
        assert [each.get("cursor") for each in seen] == [None, "1", "2"]
        assert {each["limit"] for each in seen} == {3}

    def test_a_search_by_query_has_the_best_of_all_pages(self) -> None:
        store, seen = self._store(
            {"documents": self._found(a=0.9, b=0.2), "next_cursor": "1"},
            {"documents": self._found(c=0.5, d=None), "next_cursor": "2"},
            {"documents": self._found(e=0.7)},
        )

        found = store.search(NOTES, query="tea", limit=2, offset=1)

        assert [(each.key, each.score) for each in found] == [("e", 0.7), ("c", 0.5)]
        assert len(seen) == 3

    def test_a_listing_goes_on_until_the_limit(self) -> None:
        store, seen = self._store(
            {"namespaces": [["a"], ["b"]], "next_cursor": "1"},
            {"namespaces": [["c"], ["d"]], "next_cursor": "2"},
        )

        assert store.list_namespaces(limit=2, offset=1) == [("b",), ("c",)]
        assert len(seen) == 2


class TestSearches:
    def test_a_limit_beyond_a_page_and_an_offset(self, store: MembraneStore) -> None:
        store.batch([PutOp(NOTES, f"{number:02}", {"n": number}) for number in range(30)])

        found = store.search(NOTES, limit=2_000, offset=20)

        assert [each.value["n"] for each in found] == [*range(20, 30)]
        assert store.search(NOTES, offset=30) == []

    def test_infinity_and_nan_compare_as_numbers_do(self, store: MembraneStore) -> None:
        store.put(NOTES, "number", {"n": 3})
        store.put(NOTES, "text", {"n": "three"})

        def keys(condition: Any) -> list[str]:
            return [each.key for each in store.search(NOTES, filter={"n": condition})]

        assert keys({"$gt": float("-inf"), "$lt": float("inf")}) == ["number"]
        assert keys({"$gt": float("inf")}) == []
        assert keys({"$eq": float("nan")}) == keys(float("inf")) == keys([float("nan")]) == []
        assert keys({"$ne": float("nan")}) == ["number", "text"]
        assert keys({"$ne": float("nan"), "$gte": 3}) == ["number"]

    def test_all_conditions_on_namespaces_hold_together(self, store: MembraneStore) -> None:
        for namespace in (("a", "b", "c"), ("a", "x", "c"), ("a", "b", "d"), ("b", "b", "c")):
            store.put(namespace, "k", {"n": 1})

        def listed(*conditions: tuple[Any, tuple[str, ...]]) -> Any:
            op = ListNamespacesOp(tuple(MatchCondition(*each) for each in conditions))
            return store.batch([op])[0]

        assert listed(("prefix", ("a",)), ("prefix", ("*", "b"))) == [
            ("a", "b", "c"),
            ("a", "b", "d"),
        ]
        assert listed(("suffix", ("c",)), ("suffix", ("b", "*"))) == [
            ("a", "b", "c"),
            ("b", "b", "c"),
        ]
        assert listed(("prefix", ("a",)), ("prefix", ("b",))) == []

    def test_a_list_without_a_value_is_no_item(
        self, store: MembraneStore, client: Membrane, scope: str
    ) -> None:
        client.append_items(NOTES, "list", [1, 2], scope=scope)

        assert store.get(NOTES, "list") is None
        assert store.search(NOTES) == []


class TestIndex:
    def test_fields_of_the_store_and_of_an_item(self, client: Membrane, scope: str) -> None:
        store = MembraneStore(client, scope=scope, index={"dims": 384, "fields": ["text"]})
        store.put(NOTES, "usual", {"text": "green tea", "other": "bicycles"})
        store.put(NOTES, "own", {"text": "bicycles", "other": "green tea"}, index=["other"])
        store.put(NOTES, "none", {"text": "green tea"}, index=False)

        found = store.search(NOTES, query="green tea")

        assert store.index_config == {"dims": 384, "fields": ["text"]}
        assert [each.key for each in found][2:] == ["none"]
        assert {each.key for each in found[:2]} == {"usual", "own"}
        assert found[2].score is None
        assert all(each.score is not None and each.score > 0.9 for each in found[:2])

    def test_without_an_index_a_query_is_ignored(
        self, store: MembraneStore, client: Membrane, scope: str
    ) -> None:
        store.put(NOTES, "a", {"text": "bicycles"}, index=["text"])
        store.put(NOTES, "b", {"text": "green tea"})

        found = store.search(NOTES, query="green tea")

        assert [(each.key, each.score) for each in found] == [("a", None), ("b", None)]
        assert client.get_document(NOTES, "a", scope=scope).index == ()

    def test_dims_that_do_not_fit_and_too_many_fields_raise(self, client: Membrane) -> None:
        with pytest.raises(ValueError, match="384"):
            MembraneStore(client, index={"dims": 1_536})
        with pytest.raises(ValueError, match="at most 8"):
            MembraneStore(client, index={"fields": [f"field{number}" for number in range(9)]})

    def test_an_unknown_key_raises_and_a_key_of_another_store_is_warned_of(
        self, client: Membrane
    ) -> None:
        with pytest.raises(ValueError, match="index has unknown keys: field"):
            MembraneStore(client, index={"field": ["text"]})  # type: ignore[arg-type]  # refused
        with pytest.warns(UserWarning, match="the server embeds: distance_type"):
            MembraneStore(client, index={"distance_type": "cosine"})  # type: ignore[arg-type]  # of PostgresStore

    def test_an_embedding_function_is_warned_of(self, client: Membrane) -> None:
        def embed(texts: Any) -> Any:
            raise AssertionError(texts)

        with pytest.warns(UserWarning, match="the server embeds: embed"):
            store = MembraneStore(client, scope=new_scope(), index={"dims": 384, "embed": embed})
        store.put(NOTES, "a", {"text": "tea"})
        assert [each.key for each in store.search(NOTES, query="tea")] == ["a"]

    def test_a_query_reaches_a_thousand_documents(self, client: Membrane, scope: str) -> None:
        store = MembraneStore(client, scope=scope, index={})

        with pytest.raises(ValueError, match="1000"):
            store.search(NOTES, query="tea", limit=900, offset=101)


class TestPeriods:
    @pytest.mark.parametrize("minutes", [0, -1.0, 5_256_001, float("nan"), float("inf"), "5"])
    def test_a_default_that_the_service_does_not_take_is_refused(
        self, client: Membrane, minutes: Any
    ) -> None:
        with pytest.raises(ValueError, match=r"default_ttl is .*minutes above 0, 5,256,000"):
            MembraneStore(client, ttl={"default_ttl": minutes})

    def test_the_longest_default_is_taken(self, client: Membrane, scope: str) -> None:
        store = MembraneStore(client, scope=scope, ttl={"default_ttl": 5_256_000})

        store.put(NOTES, "a", {"n": 1})

        assert _value(store, "a") == {"n": 1}

    def test_an_unknown_key_is_refused_and_all_keys_of_langgraph_are_taken(
        self, client: Membrane
    ) -> None:
        with pytest.raises(ValueError, match="ttl has unknown keys: default"):
            MembraneStore(client, ttl={"default": 1})  # type: ignore[arg-type]  # refused
        MembraneStore(client, ttl=dict.fromkeys(TTLConfig.__annotations__))  # type: ignore[arg-type]  # all keys

    def test_reads_begin_the_period_anew_unless_told_not_to(
        self, client: Membrane, scope: str
    ) -> None:
        period_s = 20.0
        begins_anew_s = period_s / 20
        store = MembraneStore(client, scope=scope, ttl={"default_ttl": period_s / 60})
        for key in "abc":
            store.put(NOTES, key, {"n": 1})

        def expiries() -> list[Any]:
            return [client.get_document(NOTES, key, scope=scope).expires_at for key in "abc"]

        before = expiries()
        store.get(NOTES, "a")
        assert expiries() == before

        time.sleep(begins_anew_s + 0.1)
        store.get(NOTES, "a", refresh_ttl=False)
        assert expiries() == before

        store.get(NOTES, "a")
        a, b, c = expiries()
        assert a > before[0]
        assert [b, c] == before[1:]

        store.search(NOTES, offset=2)
        assert expiries()[:2] == [a, b]
        assert expiries()[2] > c

        time.sleep(begins_anew_s + 0.1)
        now = expiries()
        store.search(NOTES)
        assert all(later > earlier for later, earlier in zip(expiries(), now, strict=True))

    def test_refresh_on_read_can_be_off(self, client: Membrane, scope: str) -> None:
        store = MembraneStore(
            client, scope=scope, ttl={"default_ttl": 1.0, "refresh_on_read": False}
        )
        store.put(NOTES, "a", {"n": 1})
        before = client.get_document(NOTES, "a", scope=scope).expires_at

        store.get(NOTES, "a")
        store.search(NOTES)

        assert client.get_document(NOTES, "a", scope=scope).expires_at == before

    def test_none_is_no_period_and_no_sweep_is_needed(self, client: Membrane, scope: str) -> None:
        store = MembraneStore(client, scope=scope, ttl={"default_ttl": 0.5 / 60})
        store.put(NOTES, "lasting", {"n": 1}, ttl=None)
        store.put(NOTES, "passing", {"n": 1})
        assert _value(store, "passing") == {"n": 1}

        time.sleep(0.6)

        assert [each.key for each in store.search(NOTES)] == ["lasting"]
        assert store.get(NOTES, "passing") is None
        assert store.sweep_ttl() == 0
        assert store.start_ttl_sweeper().done()
        assert store.stop_ttl_sweeper()


class TestAwaited:
    def test_concurrent_calls_share_requests(
        self, scope: str, requests: list[httpx2.Request]
    ) -> None:
        async def count(request: httpx2.Request) -> None:
            requests.append(request)

        async def run() -> list[Any]:
            async with httpx2.AsyncClient(event_hooks={"request": [count]}) as http:
                store = MembraneStore(AsyncMembrane(URL, API_KEY, http_client=http), scope=scope)
                await asyncio.gather(*(store.aput(NOTES, f"{n}", {"n": n}) for n in range(50)))
                return await asyncio.gather(*(store.aget(NOTES, f"{n}") for n in range(50)))

        assert [each.value["n"] for each in asyncio.run(run())] == [*range(50)]
        assert len(requests) == 2

    @pytest.mark.parametrize("new", [new_client, new_async_client])
    def test_a_concurrent_call_gets_its_own_error(self, scope: str, new: Callable[[], Any]) -> None:
        async def run() -> tuple[Any, ...]:
            async with _opened(new()) as client:
                store = MembraneStore(client, scope=scope)
                calls = (
                    store.aput(NOTES, "a", {"n": 1}),
                    store.aput(("l" * 129,), "b", {"n": 2}),
                    store.aget(NOTES, "absent"),
                )
                results = await asyncio.gather(*calls, return_exceptions=True)
                return (*results, await store.aget(NOTES, "a"))

        put, refused, absent, got = asyncio.run(run())
        assert put is absent is None
        assert isinstance(refused, BadRequest)
        assert got.value == {"n": 1}

    @pytest.mark.parametrize("new", [new_client, new_async_client])
    def test_a_value_that_is_too_large_fails_alone(
        self, scope: str, new: Callable[[], Any]
    ) -> None:
        async def run() -> tuple[Any, ...]:
            async with _opened(new()) as client:
                store = MembraneStore(client, scope=scope)
                calls = (
                    store.aput(NOTES, "large", {"text": "x" * 11_000_000}),
                    store.aput(NOTES, "a", {"n": 1}),
                    store.aget(NOTES, "absent"),
                )
                results = await asyncio.gather(*calls, return_exceptions=True)
                return (*results, await store.aget(NOTES, "a"))

        large, put, absent, got = asyncio.run(run())
        assert isinstance(large, PayloadTooLarge)
        assert put is absent is None
        assert got.value == {"n": 1}

    @pytest.mark.parametrize(
        ("status", "problem", "sizes"),
        [
            (400, {"code": "INVALID_ARGUMENT", "detail": "no"}, [3, 1, 1, 1]),
            (413, {"message": "Request Too Long"}, [3, 1, 1, 1]),
            (404, {"message": "Not Found"}, [3]),
            (403, {"message": "Forbidden"}, [3]),
            (429, {"code": "RESOURCE_EXHAUSTED", "detail": "no"}, [3]),
            (500, {"code": "INTERNAL", "detail": "no"}, [3]),
        ],
    )
    def test_a_refused_request_is_sent_one_by_one_where_an_operation_is_the_reason(
        self, status: int, problem: dict[str, str], sizes: list[int]
    ) -> None:
        seen: list[int] = []

        async def answer(request: httpx2.Request) -> httpx2.Response:
            operations = json.loads(request.content)["operations"]
            seen.append(len(operations))
            if any(each["key"] == "bad" for each in operations):
                return httpx2.Response(status, json=problem)
            return httpx2.Response(200, json={"results": [{"status": 200} for _ in operations]})

        async def run() -> list[Any]:
            transport = httpx2.MockTransport(answer)
            async with httpx2.AsyncClient(transport=transport) as http:
                client = AsyncMembrane(
                    "http://service.test", "key", max_retries=0, http_client=http
                )
                store = MembraneStore(client)
                puts = (store.aput(NOTES, key, {"n": 1}) for key in ("a", "bad", "b"))
                return await asyncio.gather(*puts, return_exceptions=True)

        failed = [isinstance(each, MembraneError) for each in asyncio.run(run())]

        assert seen == sizes
        assert failed == ([False, True, False] if len(sizes) > 1 else [True] * 3)

    def test_a_put_takes_place_where_the_later_puts_of_the_key_are_refused(
        self, scope: str
    ) -> None:
        async def run() -> tuple[Any, ...]:
            async with new_async_client() as client:
                store = MembraneStore(client, scope=scope)
                results = await asyncio.gather(
                    store.aput(NOTES, "a", {"n": 1}),
                    store.aput(NOTES, "a", {"n": 2}),
                    store.aput(NOTES, "a", {"n": 3}, ttl=-1),
                    store.aput(NOTES, "a", {"$upload": "unknown"}),
                    return_exceptions=True,
                )
                document = await client.get_document(NOTES, "a", scope=scope)
                return results, document.value, document.version

        results, value, version = asyncio.run(run())
        assert results[:2] == [None, None]
        assert [type(each) for each in results[2:]] == [ValueError, NotFound]
        assert (value, version) == ({"n": 2}, 1)

    def test_a_put_has_the_value_of_the_call(self, scope: str) -> None:
        async def run() -> Item | None:
            async with new_async_client() as client:
                store = MembraneStore(client, scope=scope)
                value = {"n": 1}
                put = asyncio.create_task(store.aput(NOTES, "a", value))
                await asyncio.sleep(0)
                value["n"] = 2
                await put
                return await store.aget(NOTES, "a")

        got = asyncio.run(run())
        assert got is not None
        assert got.value == {"n": 1}

    @pytest.mark.parametrize("waits", [False, True])
    def test_after_the_end_of_all_tasks_the_store_serves_the_loop(
        self, scope: str, *, waits: bool
    ) -> None:
        async def run() -> Item | None:
            async with new_async_client() as client:
                store = MembraneStore(client, scope=scope)
                cancelled = asyncio.create_task(store.aget(NOTES, "a"))
                await asyncio.sleep(0)
                for each in asyncio.all_tasks() - {asyncio.current_task()}:
                    each.cancel()
                if waits:
                    await asyncio.wait([cancelled])
                await store.aput(NOTES, "a", {"n": 1})
                return await store.aget(NOTES, "a")

        got = asyncio.run(run())
        assert got is not None
        assert got.value == {"n": 1}

    def test_a_cancelled_call_does_not_hurt_the_others(self, scope: str) -> None:
        async def run() -> Item | None:
            async with new_async_client() as client:
                store = MembraneStore(client, scope=scope)
                first = asyncio.create_task(store.aget(NOTES, "a"))
                second = asyncio.create_task(store.aput(NOTES, "b", {"n": 2}))
                await asyncio.sleep(0)
                first.cancel()
                await second
                assert first.cancelled()
                return await store.aget(NOTES, "b")

        got = asyncio.run(run())
        assert got is not None
        assert got.value == {"n": 2}

    def test_a_synchronous_call_in_the_loop_raises_and_in_a_thread_works(self, scope: str) -> None:
        async def run() -> Item | None:
            async with new_async_client() as client:
                store = MembraneStore(client, scope=scope)
                with pytest.raises(asyncio.InvalidStateError):
                    store.get(NOTES, "a")
                await asyncio.to_thread(store.put, NOTES, "a", {"n": 1})
                return await asyncio.to_thread(store.get, NOTES, "a")

        got = asyncio.run(run())
        assert got is not None
        assert got.value == {"n": 1}

    def test_an_async_client_without_a_loop_is_refused(self, scope: str) -> None:
        store = MembraneStore(new_async_client(), scope=scope)

        with pytest.raises(asyncio.InvalidStateError, match="Membrane"):
            store.get(NOTES, "a")

    def test_one_store_serves_one_loop_after_another(self, client: Membrane, scope: str) -> None:
        store = MembraneStore(client, scope=scope)

        for number in range(3):
            asyncio.run(store.aput(NOTES, f"{number}", {"n": number}))

        assert len(store.search(NOTES)) == 3


class TestThreads:
    def test_threads_share_a_store(self, store: MembraneStore) -> None:
        def work(number: int) -> bool:
            store.put(NOTES, f"{number}", {"n": number})
            return _value(store, f"{number}") == {"n": number}

        with ThreadPoolExecutor(8) as threads:
            assert Counter(threads.map(work, range(40))) == {True: 40}
        assert len(store.search(NOTES, limit=100)) == 40


@pytest.mark.parametrize("value", [[1], "tea", 7, _Profile(name="Ada")])
def test_a_value_other_than_a_dict_is_refused_before_any_effect(
    store: MembraneStore, value: Any
) -> None:
    with pytest.raises(TypeError, match="expected a dict"):
        store.batch([PutOp(NOTES, "a", {"n": 1}), PutOp(NOTES, "b", value)])

    assert store.search(NOTES) == []


def test_bounds_without_a_meaning_are_refused(store: MembraneStore) -> None:
    for refused in (
        lambda: store.search(NOTES, offset=-1),
        lambda: store.list_namespaces(offset=-1),
        lambda: store.list_namespaces(max_depth=0),
        lambda: store.put(NOTES, "a", {"n": 1}, ttl=0),
    ):
        with pytest.raises(ValueError, match="expected"):
            refused()


def test_another_client_is_refused() -> None:
    with pytest.raises(TypeError, match="str: expected Membrane or AsyncMembrane"):
        MembraneStore(URL)  # type: ignore[arg-type]  # refused


def test_a_graph_keeps_items_from_one_thread_to_the_next(store: MembraneStore) -> None:
    def node(state: _State, *, store: BaseStore) -> dict[str, str]:
        before = store.get(NOTES, "name")
        if "name" in state:
            store.put(NOTES, "name", {"name": state["name"]})
        return {"known": "nobody" if before is None else before.value["name"]}

    graph = StateGraph(_State)
    graph.add_node("greet", node)
    graph.add_edge(START, "greet")
    app = graph.compile(store=store)

    assert app.invoke({"name": "Ada"})["known"] == "nobody"
    assert app.invoke({})["known"] == "Ada"
    assert asyncio.run(app.ainvoke({}))["known"] == "Ada"


def test_the_client_does_not_import_langgraph_and_the_adapter_no_other_framework() -> None:
    program = (
        "import sys\n"
        "for name in ('strands', 'agents', 'anthropic', 'pydantic_ai', 'llama_index'):\n"
        "    sys.modules[name] = None\n"
        "import membrane_client\n"
        "assert 'langgraph' not in sys.modules\n"
        "from membrane_client.langgraph import MembraneStore\n"
    )

    subprocess.run([sys.executable, "-c", program], check=True)


@asynccontextmanager
async def _opened(client: Membrane | AsyncMembrane) -> AsyncIterator[Membrane | AsyncMembrane]:
    """Closes the client at the end."""
    async with AsyncExitStack() as stack:
        if isinstance(client, Membrane):
            yield stack.enter_context(client)
        else:
            yield await stack.enter_async_context(client)


def _value(store: MembraneStore, key: str) -> dict[str, Any] | None:
    item = store.get(NOTES, key)
    return None if item is None else item.value
