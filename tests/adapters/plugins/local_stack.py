"""Clients for the local stack of this run, each in a scope of its own."""

import os
import socket
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from membrane_client import AsyncMembrane, Membrane

URL = os.environ["MEMBRANE_URL"]
API_KEY = os.environ["MEMBRANE_API_KEY"]


def new_scope() -> str:
    """A scope that no other test has."""
    return f"suite:{uuid.uuid4().hex}"


def new_client() -> Membrane:
    return Membrane(URL, api_key=API_KEY)


def new_async_client() -> AsyncMembrane:
    return AsyncMembrane(URL, api_key=API_KEY)


@pytest.fixture
def scope() -> str:
    return new_scope()


@pytest.fixture
def client() -> Iterator[Membrane]:
    with new_client() as client:
        yield client


@pytest.fixture(scope="session", autouse=True)
def _nothing_beyond_loopback() -> Iterator[None]:
    """Refuse connections to other machines."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in {"127.0.0.1", "::1", "localhost"}:
            raise AssertionError(f"a test called {address}")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[assignment, method-assign]  # as in tests/conftest.py
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]  # as before
