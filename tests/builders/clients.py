"""Clients of a service with scripted answers."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import httpx2

from membrane_client import AsyncMembrane, Membrane
from membrane_client.calls import Calls
from membrane_client.core.api import Api, Options
from membrane_client.core.protocol import Answer, Pause, Request, Steps

T = TypeVar("T")
Answering = Callable[[httpx2.Request], httpx2.Response]

URL = "http://memory"
RECORD: dict[str, Any] = {
    "id": "r1",
    "type": "semantic",
    "sensitivity": "low",
    "confidence": 0.0,
    "salience": 0.0,
    "created_at": "2026-01-02T03:04:05.678901Z",
    "updated_at": "2026-01-02T03:04:05.678901Z",
    "payload": {"kind": "semantic", "subject": "s", "predicate": "p", "object": None},
}


class Definitions(Api, Calls):
    """The calls of a client as their steps."""


def an_api(**options: Any) -> Definitions:
    values: dict[str, Any] = {"url": URL, "api_key": "key", "timeout": 1.0}
    return Definitions(Options(**values | options))


def played(steps: Steps[T], *answers: Answer) -> tuple[list[Request | Pause], T]:
    """The steps and the result of a call, under the given answers to requests."""
    yielded: list[Request | Pause] = []
    left = [*answers]
    answer: Answer = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as end:
            return yielded, end.value
        yielded.append(step)
        answer = left.pop(0) if isinstance(step, Request) else None


def sent_by(steps: Steps[Any]) -> tuple[Request, Any]:
    """The first request of a call, with the body."""
    request = next(steps)
    assert isinstance(request, Request)
    return request, None if request.content is None else json.loads(request.content)


def served(answering: Answering, **options: Any) -> Membrane:
    http_client = httpx2.Client(transport=httpx2.MockTransport(answering))
    return Membrane(URL, "key", http_client=http_client, **options)


def served_async(answering: Answering, **options: Any) -> AsyncMembrane:
    http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(answering))
    return AsyncMembrane(URL, "key", http_client=http_client, **options)
