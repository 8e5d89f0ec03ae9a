"""The ids of the invocation under way, by which its log lines, problems and trace are found."""

from contextvars import ContextVar
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.invocation import Context, Event

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

    @classmethod
    def of(
        cls, event: Event, context: Context, trace: str, *, cold_start: bool, began_s: float
    ) -> "Correlation":
        """`trace` is the trace header that Lambda keeps in the environment; empty without one."""
        function_request_id = context.aws_request_id
        match event:
            case {"requestContext": {"http": _, "requestId": str(request_id)}}:
                pass
            case _:
                request_id = function_request_id
        return cls(request_id, function_request_id, _kept_trace(trace), cold_start, began_s)


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
