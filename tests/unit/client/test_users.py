"""A user that is given has a name: every method of every client refuses a lost one, unsent."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Any

import httpx2
import pytest

from membrane_client import NOT_GIVEN, AsyncMembrane, AsyncPager, InvalidCall, Membrane, Pager
from membrane_client.core.sync_and_async import Method
from membrane_client.memstate import MemoryClient
from tests.builders.filled_stores import served, served_async
from tests.builders.requests import BLANKS

NO_NAMES = (None, *BLANKS, 0, False)
OF_CLIENT: Mapping[str, Any] = {"user": "alice", "scope": "s"}
SAMPLES: Mapping[str, Any] = {
    "items": [{"rpc": "IngestEvent"}],
    "record": {"type": "semantic"},
    "operations": [{"op": "get"}],
    "namespace": ["label"],
}
"""For required parameters with a structure."""


def methods_of(kind: type) -> Iterator[tuple[str, Mapping[str, inspect.Parameter]]]:
    """The calls of a client with their parameters; its health is nobody's."""
    for name in dir(kind):
        if isinstance(inspect.getattr_static(kind, name), Method) and name != "health":
            yield name, inspect.signature(getattr(kind, name)).parameters


def calls_of(client: object) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The calls of a client with every required argument in place."""
    for name, parameters in methods_of(type(client)):
        required = {
            each: SAMPLES.get(each, "x")
            for each, parameter in parameters.items()
            if parameter.default is inspect.Parameter.empty and each != "self"
        }
        yield name, partial(getattr(client, name), **required)


def unexpected(request: httpx2.Request) -> httpx2.Response:
    raise AssertionError(f"sent: {request.url}")


def memstate(**options: Any) -> Membrane:
    http_client = httpx2.Client(transport=httpx2.MockTransport(unexpected))
    client = MemoryClient("http://memory", "key", http_client=http_client)
    return client.with_options(**options)


def waited(call: Callable[..., Any], **named: Any) -> None:
    """The first request of a call."""
    result = call(**named)
    if isinstance(result, Pager):
        result.first()
    elif isinstance(result, Iterator):
        next(result)


async def awaited(call: Callable[..., Any], **named: Any) -> None:
    result = call(**named)
    if isinstance(result, AsyncPager):
        await result.first()
    elif isinstance(result, AsyncIterator):
        await anext(result)
    else:
        await result


def is_refused(call: Callable[..., Any], *args: Any, **named: Any) -> bool:
    try:
        call(*args, **named)
    except InvalidCall as error:
        return str(error).startswith("user is ")
    return False


@pytest.mark.parametrize("kind", [Membrane, AsyncMembrane, MemoryClient])
def test_every_call_takes_a_user_and_has_none_unless_given(kind: type) -> None:
    defaults = {name: found["user"].default for name, found in methods_of(kind)}

    assert len(defaults) > 90
    assert {name for name, each in defaults.items() if each is not NOT_GIVEN} == set()


@pytest.mark.parametrize("options", [{}, OF_CLIENT], ids=["bare", "with its own user"])
@pytest.mark.parametrize("make", [partial(served, unexpected), memstate], ids=["own", "memstate"])
def test_no_call_takes_a_user_without_a_name(make: Callable[..., Membrane], options: Any) -> None:
    calls = calls_of(make(**options))

    taken = [
        (name, user)
        for name, call in calls
        for user in NO_NAMES
        if not is_refused(waited, call, user=user)
    ]

    assert taken == []


@pytest.mark.parametrize("options", [{}, OF_CLIENT], ids=["bare", "with its own user"])
def test_no_awaited_call_takes_a_user_without_a_name(options: Any) -> None:
    def run(call: Callable[..., Any], **named: Any) -> None:
        loop.run_until_complete(awaited(call, **named))

    calls = calls_of(served_async(unexpected, **options))
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        taken = [
            (name, user)
            for name, call in calls
            for user in NO_NAMES
            if not is_refused(run, call, user=user)
        ]

    assert taken == []


@pytest.mark.parametrize("user", NO_NAMES, ids=ascii)
def test_no_client_is_made_for_a_user_without_a_name(user: Any) -> None:
    for make in (served, served_async):
        assert is_refused(make, unexpected, user=user)
        assert is_refused(make(unexpected).with_options, user=user)


@pytest.mark.parametrize("user", NO_NAMES, ids=ascii)
def test_no_part_of_a_request_names_a_user_without_a_name(user: Any) -> None:
    client = served(unexpected, **OF_CLIENT)

    for rpc in ("IngestEvent", "IngestOutcome", "IngestRecord"):
        assert is_refused(client.ingest_batch, [{"rpc": rpc, "user": user}])
    assert is_refused(client.batch_documents, [{"op": "get", "user": user}])
    assert is_refused(client.call_tool, "recall", {"user": user})


def test_a_client_loses_its_user_by_name_alone() -> None:
    def answering(request: httpx2.Request) -> httpx2.Response:
        assert "user" not in request.url.params
        return httpx2.Response(200, json={"exports": []})

    client = served(answering, user="alice")

    assert not client.with_options(user=NOT_GIVEN).list_exports().exports


def test_a_name_is_a_sign_that_can_be_seen() -> None:
    named: list[str] = []

    def answering(request: httpx2.Request) -> httpx2.Response:
        named.append(request.url.params["user"])
        return httpx2.Response(200, json={"exports": []})

    names = ["0", "None", " a", "Å", "日", "👩‍👩‍👧", "\u202ea", "\ue000", "؀1"]
    for name in names:
        served(answering, user=name).list_exports()

    assert named == names
