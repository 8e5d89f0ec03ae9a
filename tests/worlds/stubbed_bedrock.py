"""Bedrock on the other side of a stub: replies to Converse requests, in order."""

from functools import cache
from typing import Any

import botocore.session
from botocore.config import Config
from botocore.stub import Stubber


class StubbedBedrock:
    """A client of Bedrock with prepared replies."""

    def __init__(self) -> None:
        self.client: Any = _session().create_client(
            "bedrock-runtime", config=Config(retries={"total_max_attempts": 1})
        )
        self.stub = Stubber(self.client)
        self.requests: list[dict[str, Any]] = []
        """The parameters of each request."""
        self.client.meta.events.register(
            "provide-client-params.bedrock-runtime.Converse", self._note_request
        )

    def answers(self, *blocks: dict[str, Any], reason: str | None = None) -> None:
        """Answer with the blocks; `reason` is why the model stops, None = at the end."""
        end = "tool_use" if any("toolUse" in block for block in blocks) else "end_turn"
        reply = {
            "output": {"message": {"role": "assistant", "content": list(blocks)}},
            "stopReason": reason or end,
            "usage": {"inputTokens": 900, "outputTokens": 100, "totalTokens": 1_000},
            "metrics": {"latencyMs": 5},
        }
        self.stub.add_response("converse", reply)

    def refuses(self, code: str, status: int, headers: dict[str, str] | None = None) -> None:
        meta = {"HTTPHeaders": headers or {}}
        self.stub.add_client_error("converse", code, "no", status, response_meta=meta)

    def _note_request(self, params: dict[str, Any], **_: object) -> None:
        self.requests.append(params)


@cache
def _session() -> botocore.session.Session:
    """The session of all tests: the first test reads the description of the service."""
    return botocore.session.get_session()
