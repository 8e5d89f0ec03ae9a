"""Errors of Bedrock that are no fault of the request."""

from botocore.exceptions import ClientError

from membrane.domain.language.errors import ResourceExhausted, Unavailable

_THROTTLED = frozenset({"ThrottlingException", "ServiceQuotaExceededException"})
_UNAVAILABLE = frozenset(
    {
        "InternalServerException",
        "ModelNotReadyException",
        "ModelTimeoutException",
        "ServiceUnavailableException",
    }
)
_SERVER_FAILURE = 500


def outage_in(error: ClientError, model: str) -> ResourceExhausted | Unavailable | None:
    """The outage that the error reports, `model` in its text; None for a refusal."""
    status = error.response["ResponseMetadata"].get("HTTPStatusCode", 0)
    code = error.response["Error"]["Code"]
    if code in _THROTTLED:
        return ResourceExhausted(f"{model} is busy; try again later")
    if code in _UNAVAILABLE or status >= _SERVER_FAILURE:
        return Unavailable(f"{model} did not answer")
    return None
