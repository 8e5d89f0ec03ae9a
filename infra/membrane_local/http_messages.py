"""HTTP requests and responses inside the local stack."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Any, BinaryIO

from membrane.adapters.aws_lambda.invocation import StreamedReply

Emit = Callable[[StreamedReply], None]
"""Sends a reply piece by piece; returns early once the client has left."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; header names in lower case, values joined by commas."""

    method: str
    raw_path: str
    raw_query: str
    headers: Mapping[str, str]
    body: bytes
    file: BinaryIO | None = None
    """A body of any size, in place of `body`."""
    emit: Emit | None = None
    """How the caller takes a reply piece by piece; None for callers that need a whole reply."""
    request_id: str = field(default_factory=lambda: urlsafe_b64encode(token_bytes(11)).decode())
    """Of the form of API Gateway's."""


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def of_json(
        cls, status: int, body: Any, headers: Mapping[str, str] | None = None
    ) -> "Response":
        return cls(
            status,
            {"content-type": "application/json", **(headers or {})},
            json.dumps(body).encode(),
        )
