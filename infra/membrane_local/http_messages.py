"""HTTP requests and responses inside the local stack."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO


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
