"""MemState's client, under MemState's names: `ingest` writes topics, `query` finds topics."""

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx2

from membrane_client.client import Membrane
from membrane_client.core.api import Api
from membrane_client.core.protocol import Steps
from membrane_client.core.sync_and_async import Operation
from membrane_client.operations import topics
from membrane_client.values.value import Value

P = ParamSpec("P")
V = TypeVar("V", bound=Value)

URL = "http://127.0.0.1:8765"


def _as_json(
    steps: Callable[Concatenate[Api, P], Steps[V]],
) -> Callable[Concatenate[Api, P], Steps[dict[str, Any]]]:
    """The same call with the reply's JSON as result."""

    @functools.wraps(steps)
    def call(api: Api, /, *args: P.args, **named: P.kwargs) -> Steps[dict[str, Any]]:
        reply = yield from steps(api, *args, **named)
        return reply.raw

    signature = inspect.signature(steps).replace(return_annotation=Steps[dict[str, Any]])
    call.__signature__ = signature  # type: ignore[attr-defined]  # inspect looks there
    return call


class MemoryClient(Membrane):
    """A `Membrane` whose `ingest` and `query` answer as MemState's routes do, in plain JSON.

    `url` and `api_key` may come from MEMSTATE_API_URL and MEMSTATE_API_KEY.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        timeout: float | None = 60.0,
        *,
        http_client: httpx2.Client | None = None,
    ) -> None:
        super().__init__(
            url or os.environ.get("MEMSTATE_API_URL") or os.environ.get("MEMBRANE_URL") or URL,
            api_key or os.environ.get("MEMSTATE_API_KEY"),
            timeout=timeout,
            http_client=http_client,
        )

    ingest = Operation(_as_json(topics.ingest_topic))
    query = Operation(_as_json(topics.query_topics))
