"""The ids of the invocation under way, by which its log lines, problems and trace are found."""

from contextvars import ContextVar
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.invocation import Context, Event

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

    def fields(self) -> dict[str, Any]:
        """The fields of a log line."""
        fields = {
            "request_id": self.request_id,
            "function_request_id": self.function_request_id,
            "cold_start": self.cold_start,
        }
        if self.xray_trace_id is not None:
            fields["xray_trace_id"] = self.xray_trace_id
        return fields


under_way: ContextVar[Correlation | None] = ContextVar("under_way", default=None)
"""None outside of an invocation.

The ids stay until the next invocation: the pieces of a streamed reply and the line of a fault come
after the handler.
"""


def _kept_trace(header: str) -> str | None:
    """The root's id in a header such as `Root=1-…;Parent=…;Sampled=1`.

    Lambda numbers invocations that X-Ray does not sample, too, but keeps no trace of them; a log
    line is billed by the byte.
    """
    root, *others = header.split(";")
    is_kept = root.startswith(_ROOT) and _SAMPLED in others
    return root.removeprefix(_ROOT) if is_kept else None
