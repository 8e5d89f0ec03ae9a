"""Errors as `application/problem+json` (RFC 9457)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from membrane.adapters.aws_lambda.invocation import under_way
from membrane.domain.access.token_rules import Unauthenticated
from membrane.domain.language import errors
from membrane.domain.language.json_text import JsonObject, compact_json

if TYPE_CHECKING:
    from membrane.adapters.aws_lambda.http.replies import Problem

CONTENT_TYPE = "application/problem+json"
UNAUTHORIZED = 401
PRECONDITION_FAILED = 412
RETRY_AFTER_S = 1
"""The wait before a retry if the error knows none."""


class Kind(NamedTuple):
    """One row of the table of errors."""

    code: str
    status: int
    title: str


KINDS: Mapping[type[errors.DomainError], Kind] = {
    errors.InvalidArgument: Kind("INVALID_ARGUMENT", 400, "The request is not valid"),
    errors.TooLarge: Kind("INVALID_ARGUMENT", 413, "Too large"),
    errors.TooManyProfiles: Kind("INVALID_ARGUMENT", 400, "The request is not valid"),
    errors.PermissionDenied: Kind("PERMISSION_DENIED", 403, "Not allowed"),
    errors.NotFound: Kind("NOT_FOUND", 404, "Not found"),
    errors.FailedPrecondition: Kind("FAILED_PRECONDITION", 409, "Not in this state"),
    errors.ScopeFenced: Kind("FAILED_PRECONDITION", 409, "The scope is being erased"),
    errors.VersionMismatch: Kind("FAILED_PRECONDITION", 409, "Another version"),
    errors.WrongEmbedder: Kind("FAILED_PRECONDITION", 409, "The search index must be made anew"),
    errors.AlreadyExists: Kind("ALREADY_EXISTS", 409, "Already exists"),
    errors.Aborted: Kind("ABORTED", 409, "Lost to other writers"),
    errors.ResourceExhausted: Kind("RESOURCE_EXHAUSTED", 429, "Too many requests"),
    errors.Unavailable: Kind("UNAVAILABLE", 503, "Unavailable"),
    errors.NotConfigured: Kind("UNAVAILABLE", 503, "Not configured"),
}


FAULT_PROBLEM: "Problem" = {
    "title": "Internal Server Error",
    "status": 500,
    "code": "INTERNAL",
    "detail": "the item failed; whether it was written is not known",
}
"""What is known of a failure with an error other than a DomainError."""


def kind_of(error: errors.DomainError) -> Kind:
    """The row for the error's class, or for the nearest base class in the table."""
    return next(KINDS[base] for base in type(error).__mro__ if base in KINDS)


def problem(error: errors.DomainError) -> "Problem":
    kind = kind_of(error)
    body: Problem = {
        "title": kind.title,
        "status": kind.status,
        "code": kind.code,
        "detail": str(error),
    }
    _add_request_id(body)
    if isinstance(error, errors.InvalidArgument) and error.violations:
        body["errors"] = [
            {"field": violation.field, "message": violation.message}
            for violation in error.violations
        ]
    return body


def fault_problem() -> "Problem":
    """A batch's entry for an item that failed with an error other than a DomainError."""
    body: Problem = {**FAULT_PROBLEM}
    _add_request_id(body)
    return body


def _add_request_id(body: "Problem") -> None:
    """Name the request under way, whose log lines have the same id."""
    ids = under_way.get()
    if ids is not None:
        body["request_id"] = ids.request_id


def headers_of(error: errors.DomainError) -> dict[str, str]:
    """The headers of the reply; `retry-after` if the caller may try again."""
    headers = {"content-type": CONTENT_TYPE}
    match error:
        case errors.NotConfigured():
            pass
        case errors.ResourceExhausted():
            headers["retry-after"] = str(error.retry_after_s or RETRY_AFTER_S)
        case errors.Unavailable():
            headers["retry-after"] = str(RETRY_AFTER_S)
        case _:
            pass
    return headers


def unauthenticated_reply(error: Unauthenticated, headers: Mapping[str, str]) -> JsonObject:
    """The refusal of a caller by a function that authenticates by itself, with further headers."""
    body: Problem = {
        "title": "Not authenticated",
        "status": UNAUTHORIZED,
        "code": "UNAUTHENTICATED",
        "detail": str(error),
    }
    _add_request_id(body)
    return {
        "statusCode": UNAUTHORIZED,
        "headers": {"content-type": CONTENT_TYPE, **headers},
        "body": compact_json(body),
    }


def problem_reply(error: errors.DomainError, *, is_conditional: bool = False) -> JsonObject:
    """The reply; `is_conditional`: a header demands a version (RFC 9110, 13.1)."""
    body = problem(error)
    if is_conditional and isinstance(error, errors.VersionMismatch):
        body["status"] = PRECONDITION_FAILED
    return {
        "statusCode": body["status"],
        "headers": headers_of(error),
        "body": compact_json(body),
    }
