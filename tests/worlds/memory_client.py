"""A client as MemState's: two calls, `ingest` and `query`, whose bodies are that service's own."""

from dataclasses import dataclass
from typing import Any

from tests.worlds.api import Api, Reply


@dataclass(frozen=True, slots=True)
class MemoryClient:
    """Talks to the service with one key; the empty one sends none."""

    api: Api
    key: str | None = None

    def ingest(self, placement: str | None = None, **observation: Any) -> dict[str, Any]:
        """Write an observation; without a placement the service decides where it belongs."""
        body = observation if placement is None else {"placement": placement, **observation}
        return _body(self.try_ingest(body))

    def query(self, q: str = "", *stages: str, **asked: Any) -> dict[str, Any]:
        """Ask for topics; without stages for all three."""
        body = {"q": q, **({"stages": list(stages)} if stages else {}), **asked}
        return _body(self.api.post("/v1/query", body, key=self.key))

    def try_ingest(self, body: Any, **headers: str) -> Reply:
        """The reply to any body."""
        return self.api.post("/v1/ingest", body, key=self.key, headers=headers)


def _body(reply: Reply) -> dict[str, Any]:
    assert reply.status == 200, reply.body
    return dict(reply.body)
