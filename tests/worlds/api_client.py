"""The command's HTTP client over a stack in this process."""

from dataclasses import dataclass
from typing import Any

from membrane_cli.http_client import Answer, HttpClient
from tests.worlds.api import Api


@dataclass(frozen=True, slots=True)
class ApiClient(HttpClient):
    """Of the stack in this process."""

    api: Api | None = None

    def call(self, method: str, path: str, body: Any = None, headers: Any = None) -> Answer:
        assert self.api is not None
        reply = self.api.call(method, path, body, headers=headers)
        return Answer(reply.status, reply.headers, reply.body)
