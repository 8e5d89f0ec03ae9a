"""Lambda's interface: event, reply, context, and the ids of the invocation under way."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import wraps
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeVar

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


TRACE_ID = "_X_AMZN_TRACE_ID"
"""The variable in which Lambda keeps the trace header of the invocation."""

_SAMPLED = "Sampled=1"
_ROOT = "Root="


class Correlation(NamedTuple):
    """What tells an invocation from others."""

    request_id: str
    """API Gateway's id, which the caller has as header `apigw-requestid`; else Lambda's."""
    function_request_id: str
    """Lambda's id, by the name that Powertools gives it."""
    xray_trace_id: str | None
    """None = X-Ray keeps no trace of the invocation."""
    cold_start: bool
    """Whether no invocation of the environment came before."""
    began_s: float
    """By a monotonic clock."""


under_way: ContextVar[Correlation | None] = ContextVar("under_way", default=None)
"""None outside of an invocation.

The ids stay until the next invocation: the pieces of a streamed reply and the line of a fault come
after the handler.
"""


def line_fields(now_s: float) -> dict[str, Any]:
    """The fields of a log line, none outside of an invocation; `now_s` by the clock of `began_s`.

    The last line of an invocation has the duration as `elapsed_ms`.
    """
    ids = under_way.get()
    if ids is None:
        return {}
    fields = {
        "request_id": ids.request_id,
        "function_request_id": ids.function_request_id,
        "cold_start": ids.cold_start,
        "elapsed_ms": round((now_s - ids.began_s) * 1_000),
    }
    if ids.xray_trace_id is not None:
        fields["xray_trace_id"] = ids.xray_trace_id
    return fields


def _kept_trace(header: str) -> str | None:
    """The root's id in a header such as `Root=1-…;Parent=…;Sampled=1`.

    Lambda numbers invocations that X-Ray does not sample, too, but keeps no trace of them; a log
    line is billed by the byte.
    """
    root, *others = header.split(";")
    is_kept = root.startswith(_ROOT) and _SAMPLED in others
    return root.removeprefix(_ROOT) if is_kept else None


Answer = TypeVar("Answer")


def note_request(handler: Callable[[Event, Context], Answer]) -> Callable[[Event, Context], Answer]:
    """The handler, whose log lines and problems carry the ids of the invocation."""
    earlier = count()

    @wraps(handler)
    def invoke(event: Event, context: Context) -> Answer:
        match event:
            case {"requestContext": {"http": _, "requestId": str(request_id)}}:
                pass
            case _:
                request_id = context.aws_request_id
        ids = Correlation(
            request_id,
            context.aws_request_id,
            _kept_trace(os.environ.get(TRACE_ID, "")),  # noqa: TID251 - set by Lambda for each invocation
            cold_start=next(earlier) == 0,
            began_s=time.monotonic(),
        )
        under_way.set(ids)
        return handler(event, context)

    return invoke
