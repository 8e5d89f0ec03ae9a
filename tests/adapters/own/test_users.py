"""Every adapter that takes a user refuses one without a name, before a request."""

import asyncio
import inspect
import pkgutil
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import httpx2
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

import membrane_client
from membrane_client import NOT_GIVEN, AsyncMembrane, InvalidCall, Membrane
from membrane_client.langgraph import MembraneMemory
from membrane_client.strands import MembraneMemoryStore

NO_NAMES: tuple[Any, ...] = (None, "", "  ", "\t\n", "\u200b", "\u3000\ufeff", 0)
STATE = {"messages": [HumanMessage("What does Ada drink?"), AIMessage("Tea.")]}


def adapters() -> Iterator[Any]:
    """The classes and functions of the package that take a client and a user."""
    for package in pkgutil.iter_modules(membrane_client.__path__, "membrane_client."):
        for each in vars(import_module(package.name)).values():
            if getattr(each, "__module__", "").startswith(package.name) and callable(each):
                with suppress(ValueError):  # of a dict with types
                    if {"client", "user"} <= inspect.signature(each).parameters.keys():
                        yield each


def _user_of_the_run(config: RunnableConfig) -> Any:
    return config["configurable"].get("user_id")


def unexpected(request: httpx2.Request) -> httpx2.Response:
    raise AssertionError(f"sent: {request.url}")


@pytest.fixture
def client() -> Membrane:
    """A client of its own, for a service that nobody may ask."""
    transport = httpx2.MockTransport(unexpected)
    return Membrane("http://memory", "key", http_client=httpx2.Client(transport=transport))


def test_the_adapters_with_a_user_are_known() -> None:
    assert {*adapters()} == {MembraneMemory, MembraneMemoryStore}


@pytest.mark.parametrize("user", NO_NAMES, ids=ascii)
@pytest.mark.parametrize("adapter", [*adapters()])
def test_no_adapter_is_made_for_a_user_without_a_name(
    client: Membrane, adapter: Any, user: Any
) -> None:
    assert inspect.signature(adapter).parameters["user"].default is NOT_GIVEN
    with pytest.raises(InvalidCall, match=r"user is .*, which names nobody"):
        adapter(client, user=user)


@pytest.mark.parametrize("user", NO_NAMES, ids=ascii)
def test_no_node_asks_for_a_user_whose_name_the_run_lost(client: Membrane, user: Any) -> None:
    memory = MembraneMemory(client, user=_user_of_the_run)
    config: Any = {"configurable": {} if user is None else {"user_id": user}}

    for node in (memory.recall_node, memory.outcome_node):
        with pytest.raises(InvalidCall, match=r"user is .*, which names nobody"):
            node.invoke(STATE, config)


def test_no_awaited_node_asks_for_a_user_whose_name_the_run_lost() -> None:
    transport = httpx2.MockTransport(unexpected)
    awaited = AsyncMembrane(
        "http://memory", "key", http_client=httpx2.AsyncClient(transport=transport)
    )
    memory = MembraneMemory(awaited, user=lambda _: None)  # type: ignore[arg-type, return-value]  # a lost name

    for node in (memory.recall_node, memory.outcome_node):
        with pytest.raises(InvalidCall, match="user is None"):
            asyncio.run(node.ainvoke(STATE))
