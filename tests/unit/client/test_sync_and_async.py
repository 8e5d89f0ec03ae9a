"""Two faces of a definition: the same requests, and types for a checker."""

import asyncio
import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, assert_type

import httpx2
import pytest

from membrane_client import (
    NOT_GIVEN,
    AsyncMembrane,
    AsyncPager,
    Captured,
    ConnectionFailed,
    Erasure,
    Graph,
    GraphNode,
    Membrane,
    MembraneError,
    MemoryClient,
    MemoryRecord,
    Pager,
    Recalled,
    Study,
    TimedOut,
)
from membrane_client.calls import Calls
from membrane_client.values.retrieval import RecordList
from tests.builders.filled_stores import RECORD, served, served_async

PAGES = {
    None: {"records": [RECORD, RECORD], "next_cursor": "c2"},
    "c2": {"records": [RECORD], "next_cursor": "c3"},
    "c3": {"records": [], "next_cursor": None},
}


def pages(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, json=PAGES[request.url.params.get("cursor")])


def test_both_faces_have_the_types_of_the_definition() -> None:
    def waits(client: Membrane) -> None:
        assert_type(client.ingest_event("build", "15"), MemoryRecord)
        assert_type(client.capture({"project": "acme"}), Captured)
        assert_type(client.recall("question"), Recalled)
        assert_type(client.graph("task").nodes, Sequence[GraphNode])
        assert_type(client.list_records(), Pager[RecordList, MemoryRecord])
        assert_type(next(iter(client.list_records())), MemoryRecord)
        assert_type(client.forget("r1", why="asked to"), None)
        assert_type(client.forget(user="eve"), Erasure)
        client.recall("question", user=None)  # type: ignore[arg-type]  # a lost name

    async def awaits(client: AsyncMembrane) -> None:
        assert_type(await client.ingest_event("build", "15"), MemoryRecord)
        assert_type(await client.capture({"project": "acme"}), Captured)
        assert_type(await client.recall("question"), Recalled)
        assert_type(await client.graph("task"), Graph)
        assert_type(await client.forget("r1", why="asked to"), None)
        await client.remember("text", user=None)  # type: ignore[arg-type]  # a lost name
        assert_type(await client.forget(subject="Eve"), Erasure)
        assert_type(client.list_records(), AsyncPager[RecordList, MemoryRecord])
        async for record in client.list_records():
            assert_type(record, MemoryRecord)

    assert (inspect.isfunction(waits), inspect.iscoroutinefunction(awaits)) == (True, True)


def test_a_call_that_does_not_fit_its_definition_fails_where_it_is_written() -> None:
    client = served(pages)

    with pytest.raises(TypeError, match="ref"):
        client.ingest_event("build")  # type: ignore[call-arg]  # the test is that this fails
    with pytest.raises(TypeError, match="colour"):
        client.ingest_event("build", "15", colour="blue")  # type: ignore[call-arg]  # the same


DOCUMENT: Sequence[Any] = (["users"], "ada", {})
WRONG_CALLS: Sequence[tuple[str, Sequence[Any], dict[str, Any], str]] = [
    (
        "put_document",
        DOCUMENT,
        {"scoope": "team"},
        "got an unexpected keyword argument 'scoope'. Did you mean 'scope'?",
    ),
    (
        "put_document",
        DOCUMENT[:1],
        {"kee": "ada"},
        "got an unexpected keyword argument 'kee'. Did you mean 'key'?",
    ),
    ("health", (), {"client": 1}, "got an unexpected keyword argument 'client'"),
    ("put_document", DOCUMENT[:1], {}, "missing a required argument: 'key'"),
    ("pin", ("r1", "ada"), {}, "got too many positional arguments"),
    ("pin", ("r1",), {"record_id": "r1"}, "got multiple values for argument 'record_id'"),
    ("list_records", (7,), {}, "got too many positional arguments"),
]


@pytest.mark.parametrize(("name", "args", "named", "said"), WRONG_CALLS)
@pytest.mark.parametrize("make", [served, served_async])
def test_the_error_of_a_wrong_call_names_the_method_and_the_nearest_parameter(
    make: Callable[..., Calls],
    name: str,
    args: Sequence[Any],
    named: dict[str, Any],
    said: str,
) -> None:
    with pytest.raises(TypeError) as failed:
        getattr(make(pages), name)(*args, **named)

    assert str(failed.value) == f"{name}() {said}"
    assert failed.value.__context__ is None or failed.value.__suppress_context__


@pytest.mark.parametrize("kind", [Membrane, AsyncMembrane])
def test_help_shows_a_method_as_it_is_called(kind: type[Membrane] | type[AsyncMembrane]) -> None:
    method = kind.ingest_event

    assert method.__name__ == "ingest_event"
    assert "episodic record" in (method.__doc__ or "")
    first, second, *others = inspect.signature(method).parameters
    assert (first, second, others[0]) == ("self", "event_kind", "ref")
    bound = inspect.signature(served(pages).ingest_event)
    assert list(bound.parameters)[:2] == ["event_kind", "ref"]
    assert bound.return_annotation is MemoryRecord
    states = inspect.signature(served(pages).study_steps)
    assert states.return_annotation == Iterator[Study]


def test_iterating_asks_for_page_after_page() -> None:
    client = served(pages)

    assert [each.id for each in client.list_records()] == ["r1"] * 3
    assert [len(page.records) for page in client.list_records().pages()] == [2, 1, 0]
    assert len(client.list_records(cursor="c2").first().records) == 1


def test_iterating_asynchronously_asks_for_the_same_pages() -> None:
    async def listed() -> tuple[list[str], list[int], int]:
        async with served_async(pages) as client:
            ids = [each.id async for each in client.list_records()]
            sizes = [len(page.records) async for page in client.list_records().pages()]
            return ids, sizes, len((await client.get_all().first()).records)

    assert asyncio.run(listed()) == (["r1"] * 3, [2, 1, 0], 2)


def test_both_faces_send_the_same_request() -> None:
    seen: list[tuple[str, str, object]] = []

    def answering(request: httpx2.Request) -> httpx2.Response:
        seen.append((request.method, str(request.url), json.loads(request.content)))
        return httpx2.Response(200, json={"record": RECORD, "consistency_token": "t"})

    async def told() -> None:
        await served_async(answering, user="alice").remember("tea", "costs", 2)

    served(answering, user="alice").remember("tea", "costs", 2)
    asyncio.run(told())

    assert len(seen) == 2
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    ("error", "kind"),
    [(httpx2.ReadTimeout("late"), TimedOut), (httpx2.ConnectError("refused"), ConnectionFailed)],
)
def test_failures_of_the_transport_are_errors_of_the_client(
    error: httpx2.TransportError, kind: type[Exception]
) -> None:
    def failing(_: httpx2.Request) -> httpx2.Response:
        raise error

    async def asked() -> None:
        await served_async(failing, max_retries=0).health()

    with pytest.raises(kind) as failed:
        served(failing, max_retries=0).health()
    assert failed.value.__cause__ is error
    with pytest.raises(kind):
        asyncio.run(asked())


def test_a_call_that_awaits_is_tried_again_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("membrane_client.core.sending.FIRST_DELAY_S", 0.001)
    replies: Iterator[int] = iter([503, 503, 200])

    def answering(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(next(replies), json={"status": "ok"})

    async def asked() -> str:
        return (await served_async(answering).health()).status

    assert asyncio.run(asked()) == "ok"


def test_a_client_closes_what_it_opened_and_nothing_else() -> None:
    transport = httpx2.Client(transport=httpx2.MockTransport(pages))
    with Membrane("http://memory", "key", http_client=transport) as client:
        client.with_options(user="alice").close()

    assert not transport.is_closed
    own = Membrane("http://memory", "key")
    with own:
        pass
    assert own._http.is_closed  # noqa: SLF001 - what it opened


def test_options_hold_for_the_copy_alone_and_tokens_for_both() -> None:
    client = served(pages)

    copy = client.with_options(user="alice", timeout=None)
    client._api.record_tokens.keep(["t"])  # noqa: SLF001 - as a write does

    assert (copy._api.options.user, client._api.options.user) == ("alice", NOT_GIVEN)  # noqa: SLF001
    assert list(copy.consistency_tokens) == ["t"]
    with pytest.raises(TypeError, match="colour"):
        client.with_options(colour="blue")  # type: ignore[call-arg]  # the test is that this fails


@pytest.mark.parametrize("kind", [Membrane, AsyncMembrane])
def test_the_error_of_a_wrong_option_names_what_was_called(
    kind: type[Membrane] | type[AsyncMembrane],
) -> None:
    options: dict[str, Any] = {"foo": 1}
    near: dict[str, Any] = {"timeuot": 1.0}
    said = "() got an unexpected keyword argument 'foo'"

    with pytest.raises(TypeError) as of_constructor:
        kind(**options)
    with pytest.raises(TypeError) as of_copy:
        kind("http://memory", "key").with_options(**options)
    with pytest.raises(TypeError, match="Did you mean 'timeout'"):
        kind("http://memory", "key", **near)

    assert str(of_constructor.value) == f"{kind.__name__}{said}"
    assert str(of_copy.value) == f"with_options{said}"


@pytest.mark.parametrize("kind", [Membrane, AsyncMembrane])
def test_url_and_key_come_from_the_environment_or_are_asked_for(
    kind: Callable[..., Calls], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="MEMBRANE_URL"):
        kind()
    with pytest.raises(ValueError, match="MEMBRANE_API_KEY"):
        kind("http://memory")
    monkeypatch.setenv("MEMBRANE_URL", "http://memory/")
    monkeypatch.setenv("MEMBRANE_API_KEY", "key")

    options = kind()._api.options  # noqa: SLF001 - what was read

    assert (options.url, options.api_key) == ("http://memory", "key")


def test_a_client_of_memstate_asks_its_two_routes_and_gets_plain_json() -> None:
    paths = []

    def answering(request: httpx2.Request) -> httpx2.Response:
        paths.append(request.url.path)
        return httpx2.Response(200, json={"topic_id": "t1", "candidates": []})

    http_client = httpx2.Client(transport=httpx2.MockTransport(answering))
    client = MemoryClient("http://memory", "key", http_client=http_client)

    told = client.ingest(placement="new_topic", title="Ada")
    found = client.query("Where does Ada live?", top_k=1)

    assert paths == ["/v1/ingest", "/v1/query"]
    assert_type(told, dict[str, Any])
    assert (told["topic_id"], found["candidates"]) == ("t1", [])


BUDGET = {"copy", "datetime", "hashlib", "json", "random", "reprlib"}
"""Standard modules of the client, beside the modules of the transport."""


def test_importing_the_client_loads_its_own_modules_and_little_more_than_the_transport() -> None:
    script = """
import sys, httpx2
before = {*sys.modules}
import membrane_client
print(*({*sys.modules} - before))
"""
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    loaded = {*said.stdout.split()}
    own = {name for name in loaded if name.split(".")[0] == "membrane_client"}
    assert {name.split(".")[0] for name in loaded - own} <= BUDGET
    assert len(own) <= 44
    assert not {"asyncio", "anyio", "pydantic"} & loaded


def test_a_closed_client_says_so() -> None:
    client = Membrane("http://memory", "key")
    client.close()
    with pytest.raises(MembraneError, match="closed"):
        client.health()

    async def asked() -> None:
        async with AsyncMembrane("http://memory", "key") as closed:
            pass
        await closed.health()

    with pytest.raises(MembraneError, match="closed"):
        asyncio.run(asked())
