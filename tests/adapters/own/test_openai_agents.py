"""MembraneSession beyond the published suite: sharing, lengths, rights, errors, cancellation."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx2
import pytest
from agents import Agent, Runner, SessionSettings
from agents.memory import Session
from agents.testing import ScriptedModel, assistant_message
from local_stack import API_KEY, URL, new_async_client

from membrane_client import (
    AsyncMembrane,
    ConnectionFailed,
    Forbidden,
    InvalidCall,
    Membrane,
    NotFound,
    PayloadTooLarge,
)
from membrane_client.openai_agents import MARKER, MAX_BYTES_APPENDED, MembraneSession

pytestmark = pytest.mark.anyio

WRITERS = 8

LARGE = "x" * 200_000
"""More than one append takes."""

UPLOADED = "é" * 2_500_000
"""More than one request takes."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def session(scope: str) -> AsyncIterator[MembraneSession]:
    async with new_async_client() as client:
        yield MembraneSession("chat", client, scope=scope)


def said(*texts: object) -> list[Any]:
    return [{"role": "user", "content": str(text)} for text in texts]


def texts(items: list[Any]) -> list[str]:
    return [each["content"] for each in items]


async def test_a_session_fits_the_protocol(session: MembraneSession) -> None:
    assert isinstance(session, Session)
    assert (session.session_id, session.session_settings) == ("chat", SessionSettings())


async def test_a_second_process_goes_on_with_the_session(
    session: MembraneSession, scope: str
) -> None:
    model = ScriptedModel()
    agent = Agent(name="test", model=model)
    model.enqueue([assistant_message("Tea.")])
    await Runner.run(agent, "What does Ada drink?", session=session)

    async with new_async_client() as second:
        model.enqueue([assistant_message("Green tea.")])
        await Runner.run(agent, "Which?", session=MembraneSession("chat", second, scope=scope))

    asked = [each["content"] for each in model.calls[-1].input if each.get("role") == "user"]
    assert asked == ["What does Ada drink?", "Which?"]
    assert len(await session.get_items()) == 4


async def test_namespace_scope_and_id_separate_sessions(
    session: MembraneSession, scope: str
) -> None:
    await session.add_items(said("here"))

    async with new_async_client() as client:
        for other in (
            MembraneSession("chat", client, scope=f"{scope}:other"),
            MembraneSession("chat", client, scope=scope, namespace=("other",)),
            MembraneSession("chat/", client, scope=scope),
        ):
            assert await other.get_items() == []
            assert await other.pop_item() is None
            await other.clear_session()

    assert texts(await session.get_items()) == ["here"]


async def test_the_scope_of_the_client_is_the_scope_of_the_session(
    session: MembraneSession, scope: str
) -> None:
    await session.add_items(said("here"))

    async with new_async_client() as client:
        of_client = MembraneSession("chat", client.with_options(scope=scope))
        assert texts(await of_client.get_items()) == ["here"]


async def test_more_items_than_one_append_takes_come_back_in_order(
    session: MembraneSession,
) -> None:
    numbers = [str(number) for number in range(250)]

    await session.add_items(said(*numbers))

    assert texts(await session.get_items()) == numbers
    assert texts(await session.get_items(limit=120)) == numbers[-120:]
    assert await session.get_items(limit=0) == []
    assert len(await session.get_items(limit=-1)) == 250


def test_arguments_of_another_kind_are_refused_at_once() -> None:
    client = new_async_client()
    with Membrane(URL, API_KEY) as blocking, pytest.raises(TypeError, match="AsyncMembrane"):
        MembraneSession("chat", cast("Any", blocking))
    with pytest.raises(TypeError, match="namespace"):
        MembraneSession("chat", client, namespace="sessions")
    for labels in ([], ["label"] * 15):
        with pytest.raises(ValueError, match="1 to 14"):
            MembraneSession("chat", client, namespace=labels)


async def test_no_item_takes_no_request() -> None:
    async with AsyncMembrane("http://127.0.0.1:1", API_KEY, max_retries=0) as client:
        session = MembraneSession("chat", client)

        assert await session.get_items(limit=0) == []
        with pytest.raises(ConnectionFailed):
            await session.get_items(limit=1)


async def test_items_may_come_from_an_iterator(session: MembraneSession) -> None:
    await session.add_items(cast("Any", iter(said("one", "two"))))

    assert texts(await session.get_items()) == ["one", "two"]


async def test_the_list_may_change_once_its_items_are_on_their_way(
    session: MembraneSession,
) -> None:
    items = said("first")
    adding = asyncio.create_task(session.add_items(items))
    await asyncio.sleep(0)
    items.extend(said("second"))
    await adding

    assert texts(await session.get_items()) == ["first"]


async def test_a_session_of_several_replies_comes_back_whole(session: MembraneSession) -> None:
    numbers = [str(number) for number in range(2_050)]
    await session.add_items(said(*numbers))
    await session.pop_item()

    await session.add_items(said("newest"))

    expected = [*numbers[:-1], "newest"]
    assert texts(await session.get_items()) == expected
    assert texts(await session.get_items(limit=1_000)) == expected[-1_000:]
    assert texts(await session.get_items(limit=1_001)) == expected[-1_001:]
    assert texts(await session.get_items(limit=5_000)) == expected


@pytest.mark.parametrize("text", ["x" * 95_000, '"' * 45_000], ids=["plain", "escaped"])
async def test_a_session_of_more_bytes_than_a_reply_comes_back_whole(
    session: MembraneSession, text: str
) -> None:
    items = said(*(f"{number:02} {text}" for number in range(120)))

    await session.add_items(items)

    assert await session.get_items() == items
    assert await session.get_items(limit=100) == items[-100:]


async def test_more_bytes_than_one_append_takes_come_back_in_order(
    session: MembraneSession,
) -> None:
    items = said(*(str(number) * 5_000 for number in range(10, 99)))

    await session.add_items(items)

    assert await session.get_items() == items


async def test_an_item_that_the_service_writes_longer_is_taken(session: MembraneSession) -> None:
    fitting = [{"role": "user", "content": [1e-05] * (MAX_BYTES_APPENDED // len("1e-05,") - 10)}]

    await session.add_items(cast("Any", fitting * 2))

    assert await session.get_items() == fitting * 2


@pytest.mark.parametrize("text", [LARGE, UPLOADED], ids=["sent", "uploaded"])
async def test_a_large_item_has_its_place_among_the_others(
    session: MembraneSession, scope: str, text: str
) -> None:
    items = said("first", text, "third", text + "!")

    await session.add_items(items)

    assert await session.get_items() == items
    assert await session.get_items(limit=3) == items[1:]
    assert [await session.pop_item() for _ in items] == items[::-1]
    assert await session.pop_item() is None
    assert await namespaces(scope) == [["sessions"]]


@pytest.mark.parametrize("marker", ["no id", 7, None, {"$upload": "none"}])
async def test_an_item_like_a_marker_is_an_item(session: MembraneSession, marker: object) -> None:
    items: list[Any] = [{MARKER: marker}, {MARKER: marker, "role": "user"}]

    await session.add_items(items)

    assert await session.get_items() == items
    assert [await session.pop_item() for _ in items] == items[::-1]


async def test_an_item_above_all_limits_adds_nothing(session: MembraneSession) -> None:
    with pytest.raises(PayloadTooLarge):
        await session.add_items(said("before", "x" * 11 * 1024 * 1024, "behind"))

    assert await session.get_items() == []


async def test_large_items_expire_with_the_others(scope: str) -> None:
    async with new_async_client() as client:
        session = MembraneSession("chat", client, scope=scope, ttl_seconds=3_600)
        await session.add_items(said(LARGE))

        (found,) = [each async for each in client.search_documents(["sessions"], scope=scope)
                    if each.value]  # fmt: skip

    assert found.expires_at is not None
    assert (found.expires_at - found.updated_at).total_seconds() == pytest.approx(3_600, 1)


async def test_a_large_item_that_expired_is_left_out(scope: str) -> None:
    async with new_async_client() as client:
        lasting = MembraneSession("chat", client, scope=scope)
        brief = MembraneSession("chat", client, scope=scope, ttl_seconds=0.001)
        await lasting.add_items(said("first"))
        await brief.add_items(said(LARGE))

        assert texts(await lasting.get_items()) == ["first"]
        assert await lasting.pop_item() == said("first")[0]


async def test_a_cleared_session_leaves_no_document(session: MembraneSession, scope: str) -> None:
    async with new_async_client() as client:
        other = MembraneSession("other", client, scope=scope)
        starred = MembraneSession("chat", client, scope=scope, namespace=("*",))
        for each in (session, other, starred):
            await each.add_items(said("small", LARGE, LARGE))

        await starred.clear_session()
        assert len(await session.get_items()) == 3

        await session.clear_session()

        assert await session.get_items() == []
        assert len(await other.get_items()) == 3
        await other.clear_session()
    assert await namespaces(scope) == []


async def test_a_large_item_without_an_append_is_no_item_and_is_cleared(
    session: MembraneSession, scope: str
) -> None:
    async with httpx2.AsyncClient(transport=NoAppends()) as http:
        client = AsyncMembrane(URL, API_KEY, http_client=http, max_retries=0)
        with pytest.raises(ConnectionFailed):
            await MembraneSession("chat", client, scope=scope).add_items(said(LARGE))

    assert await session.get_items() == []
    assert len(await namespaces(scope)) == 1
    await session.clear_session()
    assert await namespaces(scope) == []


@pytest.mark.parametrize(
    ("bad", "error"), [(object(), TypeError), (float("nan"), InvalidCall)], ids=["object", "nan"]
)
async def test_an_item_that_is_no_json_adds_nothing(
    session: MembraneSession, scope: str, bad: object, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await session.add_items([*said(LARGE, *range(150)), cast("Any", {"content": bad})])

    assert await namespaces(scope) == []
    await session.add_items(said("after"))
    assert texts(await session.get_items()) == ["after"]


async def test_a_cleared_session_begins_anew(session: MembraneSession) -> None:
    await session.add_items(said("before"))
    await session.clear_session()
    await session.clear_session()

    await session.add_items(said("after"))

    assert texts(await session.get_items()) == ["after"]


async def test_items_expire_by_themselves(scope: str) -> None:
    async with new_async_client() as client:
        session = MembraneSession("chat", client, scope=scope, ttl_seconds=3_600)
        await session.add_items(said("here"))

        document = await client.get_document(["sessions"], "chat", scope=scope)

    assert document.expires_at is not None
    assert (document.expires_at - document.updated_at).total_seconds() == pytest.approx(3_600, 1)


async def test_parallel_additions_all_land(session: MembraneSession) -> None:
    await asyncio.gather(*(session.add_items(said(number)) for number in range(WRITERS)))

    assert sorted(texts(await session.get_items())) == [str(number) for number in range(WRITERS)]


async def test_parallel_removals_take_different_items(session: MembraneSession) -> None:
    await session.add_items(said(*range(WRITERS)))

    taken = await asyncio.gather(*(session.pop_item() for _ in range(WRITERS)))

    assert sorted(texts([*taken])) == [str(number) for number in range(WRITERS)]
    assert await session.get_items() == []


async def test_items_of_another_actor_stay_without_revise(
    session: MembraneSession, scope: str
) -> None:
    await session.add_items(said("the owner's"))

    async with weak_client(scope) as client:
        weak = MembraneSession("chat", client)
        with pytest.raises(Forbidden, match="revise"):
            await weak.pop_item()
        with pytest.raises(Forbidden, match="revise"):
            await weak.clear_session()
        await weak.add_items(said("the weak key's"))
        assert await weak.pop_item() == said("the weak key's")[0]

    assert texts(await session.get_items()) == ["the owner's"]


async def test_no_failure_is_swallowed() -> None:
    async with AsyncMembrane("http://127.0.0.1:9", "key", max_retries=0) as client:
        session = MembraneSession("chat", client)
        calls: list[Callable[[], Awaitable[object]]] = [
            session.get_items,
            session.pop_item,
            session.clear_session,
            lambda: session.add_items(said("lost")),
        ]
        for call in calls:
            with pytest.raises(ConnectionFailed):
                await call()


async def test_a_url_that_is_no_route_is_no_empty_session() -> None:
    async with AsyncMembrane(f"{URL}/elsewhere", API_KEY) as client:
        with pytest.raises(NotFound, match="url"):
            await MembraneSession("chat", client).get_items()


class NoAppends(httpx2.AsyncHTTPTransport):
    """Every append fails before the request."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST":
            raise httpx2.ConnectError("no append")
        return await super().handle_async_request(request)


class Held(httpx2.AsyncBaseTransport):
    """Holds the replies back until `released`."""

    def __init__(self) -> None:
        self.replied = asyncio.Event()
        self.released = asyncio.Event()
        self._inner = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        await response.aread()
        self.replied.set()
        await self.released.wait()
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


async def test_a_cancelled_write_ends_before_the_cancellation(
    session: MembraneSession, scope: str
) -> None:
    held, items = Held(), said(LARGE, *range(150))
    async with httpx2.AsyncClient(transport=held) as http:
        slow = MembraneSession("chat", AsyncMembrane(URL, API_KEY, http_client=http), scope=scope)
        adding = asyncio.create_task(slow.add_items(items))
        await held.replied.wait()
        adding.cancel()
        await asyncio.wait({adding}, timeout=0.05)
        assert not adding.done()

        held.released.set()

        with pytest.raises(asyncio.CancelledError):
            await adding
    assert await session.get_items() == items


def test_one_session_serves_one_event_loop_after_another(scope: str) -> None:
    session = MembraneSession("chat", new_async_client(), scope=scope)

    for number in range(3):
        asyncio.run(session.add_items(said(number)))

    assert texts(asyncio.run(session.get_items())) == ["0", "1", "2"]


def test_the_adapter_needs_no_other_framework() -> None:
    others = ("anthropic", "google.adk", "langgraph", "pydantic_ai", "pydantic_ai_harness",
              "strands")  # fmt: skip
    for absent, module in (
        (others, "membrane_client.openai_agents"),
        (("agents",), "membrane_client"),
    ):
        program = f"import sys; sys.modules.update(dict.fromkeys({absent!r})); import {module}"
        subprocess.run([sys.executable, "-c", program], check=True)


async def namespaces(scope: str) -> list[list[str]]:
    """Of all documents."""
    async with new_async_client() as client:
        return [each async for each in client.list_namespaces(scope=scope)]


@asynccontextmanager
async def weak_client(scope: str) -> AsyncIterator[AsyncMembrane]:
    """The client of a key with `ingest` and `read` alone."""
    asked = {
        "actor_id": "weak",
        "permissions": ["ingest", "read"],
        "scopes": [scope],
        "max_sensitivity": "high",
    }
    headers = {"authorization": f"Bearer {API_KEY}"}
    async with httpx2.AsyncClient() as http:
        made = await http.post(f"{URL}/_dev/keys", json=asked, headers=headers)
    secret = made.raise_for_status().json()["secret"]
    async with AsyncMembrane(URL, secret) as client:
        yield client
