"""DynamoDB without a network: every request of botocore gets a canned reply at once."""

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict
from botocore.httpsession import URLLib3Session

FENCES = b'{"S": "fences"}'
"""In the request of a look at the fences."""

NO_ITEMS = b'{"Items": [], "Count": 0}'


@dataclass(slots=True)
class Stub:
    """The replies, by operation; and what was asked, as operation and JSON."""

    replies: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, bytes]] = field(default_factory=list)

    def will_reply(self, replies: Mapping[str, Any]) -> None:
        self.replies = {operation: json.dumps(body).encode() for operation, body in replies.items()}

    def forget(self) -> list[tuple[str, Any]]:
        """What was asked since the last time."""
        asked, self.asked = self.asked, []
        return [(operation, json.loads(body)) for operation, body in asked]

    def answer(self, request: AWSPreparedRequest) -> AWSResponse:
        target = request.headers["X-Amz-Target"]
        words = target.decode() if isinstance(target, bytes) else str(target)
        operation = words.rpartition(".")[2]
        body: Any = request.body
        self.asked.append((operation, body))
        content = NO_ITEMS if FENCES in body else self.replies.get(operation, b"{}")
        headers: Any = HeadersDict(
            {
                "content-type": "application/x-amz-json-1.0",
                "content-length": str(len(content)),
                "x-amzn-requestid": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEF",
                "x-amz-crc32": str(zlib.crc32(content)),
            }
        )
        return AWSResponse(request.url, 200, headers, _Body(content))


def stub_http() -> Stub:
    """Put a stub in the place of the network, for every client of this process."""
    stub = Stub()

    def send(_self: URLLib3Session, request: Any) -> AWSResponse:
        return stub.answer(request)

    URLLib3Session.send = send  # type: ignore[assignment, method-assign]  # the last step before the socket
    return stub


@dataclass(frozen=True, slots=True)
class _Body:
    content: bytes

    def stream(self) -> Iterator[bytes]:
        yield self.content
