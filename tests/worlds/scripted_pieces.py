"""A function of the local stack that streams the pieces of a test's script."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event
from typing import Any

from membrane.adapters.aws_lambda.invocation import Context, Reply, StreamedReply, streams
from membrane.wiring.start import world

HEADERS = {"Content-Type": "text/event-stream"}
WHOLE = "whole"
"""The body of a reply to a caller that takes no stream."""


@dataclass(slots=True)
class Script:
    """The pieces of one reply, as the test makes them."""

    may_begin: Event = field(default_factory=Event)
    """The function waits for the event before the reply; set unless a test clears the event."""
    closed: Event = field(default_factory=Event)
    """Set once the function has left its generator."""
    served: list[bool] = field(default_factory=list)
    """Whether the function had its services, at each piece."""
    _pieces: "SimpleQueue[bytes | Exception | None]" = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        self.may_begin.set()

    def make(self, piece: bytes | Exception | None) -> None:
        """Let the function send a piece, raise an error, or end with None."""
        self._pieces.put(piece)

    def pieces(self) -> Iterator[bytes]:
        try:
            while (piece := self._pieces.get()) is not None:
                if isinstance(piece, Exception):
                    raise piece
                self.served.append(world().allows_loopback)
                yield piece
        finally:
            self.closed.set()


SCRIPTS: dict[str, Script] = {}
"""The scripts by the ids that requests name in a header; a handler has no other way to a test."""


def handler(event: Mapping[str, Any], context: Context) -> Reply | StreamedReply:
    """The handler of the function."""
    if not streams(context):
        return {"statusCode": 200, "headers": {}, "body": WHOLE}
    script = SCRIPTS[event["headers"]["script"]]
    script.may_begin.wait()
    return StreamedReply(200, HEADERS, script.pieces())
