"""MemState's client, under MemState's names: `ingest` writes topics, `query` finds topics."""

import os
from typing import Any

import httpx2

from membrane_client.client import Membrane

URL = "http://127.0.0.1:8765"


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

    def ingest(self, title: str | None = None, **topic: Any) -> dict[str, Any]:
        """`ingest_topic`, with the reply's JSON as result."""
        return self.ingest_topic(title, **topic).raw

    def query(self, q: str, **question: Any) -> dict[str, Any]:
        """`query_topics`, with the reply's JSON as result."""
        return self.query_topics(q, **question).raw
