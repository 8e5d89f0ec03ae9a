"""The types of Lambda's interface: event, reply and context."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

Event = Mapping[str, Any]
Reply = dict[str, Any]


WARM_UP: Event = {"membrane-warm-up": {}}
"""The event of the schedules that keep a function warm.

A request from API Gateway is never equal to the event. The start has made clients and models by
then, so a function has nothing to do, and answers an empty object.
"""

URL_ROUTE = "$default"
"""The route key of every request to a function URL."""


class Context(Protocol):
    """The attributes in use of Lambda's context object."""

    aws_request_id: str
    invoked_function_arn: str
    """With the version or alias, if the invocation named one."""

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda stops the function."""


class StreamedReply(NamedTuple):
    """A reply that is sent piece by piece; a context that `streams` takes one from a handler."""

    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]
    """The pieces of the body; closed early if the client leaves."""


def streams(context: Context) -> bool:
    """Whether the caller takes a StreamedReply; Lambda's own runtime for Python does not."""
    return bool(getattr(context, "streams", False))
