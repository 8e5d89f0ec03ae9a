"""How the edge answers HTTP: every error by the contract's table, bodies in any wrapping."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.http.operations import Row
from membrane.adapters.aws_lambda.http.problems import KINDS
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.language.errors import (
    DomainError,
    FailedPrecondition,
    InvalidArgument,
    NotConfigured,
    ResourceExhausted,
    TooLarge,
    VersionMismatch,
    Violation,
)
from membrane.usecases.machinery.calls import ReplyBody
from tests.fakes.operators import Reports
from tests.worlds.memory import make_world

CALLER = {
    "actor_id": "agent",
    "permissions": ["ingest"],
    "scopes": ["*"],
    "max_sensitivity": "low",
}
BODY = '{"source": "agent", "event_kind": "build", "ref": "evt-1"}'
CODES = {
    "InvalidArgument": (400, "INVALID_ARGUMENT"),
    "TooLarge": (413, "INVALID_ARGUMENT"),
    "TooManyProfiles": (400, "INVALID_ARGUMENT"),
    "VersionMismatch": (409, "FAILED_PRECONDITION"),
    "WrongEmbedder": (409, "FAILED_PRECONDITION"),
    "PermissionDenied": (403, "PERMISSION_DENIED"),
    "NotFound": (404, "NOT_FOUND"),
    "FailedPrecondition": (409, "FAILED_PRECONDITION"),
    "ScopeFenced": (409, "FAILED_PRECONDITION"),
    "AlreadyExists": (409, "ALREADY_EXISTS"),
    "Aborted": (409, "ABORTED"),
    "ResourceExhausted": (429, "RESOURCE_EXHAUSTED"),
    "Unavailable": (503, "UNAVAILABLE"),
    "NotConfigured": (503, "UNAVAILABLE"),
}


def an_event(**parts: Any) -> dict[str, Any]:
    return {
        "version": "2.0",
        "routeKey": "POST /v1/ingest/event",
        "rawQueryString": "",
        "headers": {},
        "requestContext": {"http": {}, "authorizer": {"lambda": CALLER}},
        "body": BODY,
        "isBase64Encoded": False,
        **parts,
    }


def answered_by(verb: Callable[..., object]) -> Row:
    """The row of reports of events, with another verb."""
    row = replace(row_of("IngestEvent"))
    vars(row)["run"] = verb
    return row


def answer_raising(
    error: Exception, reports: Reports | None = None, **parts: Any
) -> dict[str, Any]:
    def refuse(*_: object) -> NoReturn:
        raise error

    services = make_world(report=reports or Reports())
    return answer_http(an_event(**parts), (answered_by(refuse),), services)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_refusal_is_answered_by_the_contracts_table(kind: type[DomainError]) -> None:
    reply = answer_raising(kind("a sentence"))

    status, code = CODES[kind.__name__]
    problem = json.loads(reply["body"])
    assert reply["statusCode"] == problem["status"] == status
    assert (problem["code"], problem["detail"]) == (code, "a sentence")
    assert reply["headers"]["content-type"] == "application/problem+json"
    may_retry = status in (429, 503) and kind is not NotConfigured
    assert ("retry-after" in reply["headers"]) == may_retry


@pytest.mark.parametrize("header", ["if-match", "if-none-match"])
def test_another_version_than_a_header_demands_is_412(header: str) -> None:
    headers = {header: "*"}

    mismatch = answer_raising(VersionMismatch("the document has version 3"), headers=headers)
    other = answer_raising(FailedPrecondition("not now"), headers=headers)

    problem = json.loads(mismatch["body"])
    assert mismatch["statusCode"] == problem["status"] == 412
    assert (problem["code"], problem["detail"]) == (
        "FAILED_PRECONDITION",
        "the document has version 3",
    )
    assert other["statusCode"] == json.loads(other["body"])["status"] == 409


@pytest.mark.parametrize(("version", "etag"), [(3, '"3"'), (None, None)])
def test_the_version_of_a_document_is_the_etag_of_the_reply(
    version: int | None, etag: str | None
) -> None:
    def answer(*_: object) -> ReplyBody:
        return ReplyBody({}, version=version)

    reply = answer_http(an_event(), (answered_by(answer),), make_world())

    assert reply["headers"].get("etag") == etag


def test_a_record_has_no_etag() -> None:
    reply = answer_http(an_event(), (row_of("IngestEvent"),), make_world())

    assert "etag" not in reply["headers"]


def test_a_refusal_names_the_wait_that_it_knows() -> None:
    reply = answer_raising(ResourceExhausted("out of tokens", retry_after_s=3_600))

    assert reply["headers"]["retry-after"] == "3600"


def test_fields_are_named_where_there_are_any() -> None:
    reply = answer_raising(InvalidArgument("no ref", [Violation("ref", "no ref")]))

    assert json.loads(reply["body"])["errors"] == [{"field": "ref", "message": "no ref"}]


def test_an_error_of_a_narrower_kind_is_answered_as_the_kind_it_is() -> None:
    class TooLong(TooLarge):
        pass

    assert answer_raising(TooLong("too long"))["statusCode"] == 413


def test_what_is_no_refusal_stays_uncaught() -> None:
    with pytest.raises(ZeroDivisionError):
        answer_raising(ZeroDivisionError())


def test_operators_are_told_how_each_request_ended() -> None:
    reports = Reports()

    answer_raising(InvalidArgument("no"), reports)
    answer_http(an_event(), (row_of("IngestEvent"),), make_world(report=reports))
    answer_http(an_event(body="{"), (row_of("IngestEvent"),), make_world(report=reports))

    assert reports.told == [
        ("IngestEvent", "INVALID_ARGUMENT"),
        ("IngestEvent", "OK"),
        ("IngestEvent", "INVALID_ARGUMENT"),
    ]


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ({"body": base64.b64encode(BODY.encode()).decode(), "isBase64Encoded": True}, 201),
        ({"body": "%%%", "isBase64Encoded": True}, 400),
        ({"body": base64.b64encode(b"\xff").decode(), "isBase64Encoded": True}, 400),
        ({"body": None}, 400),
        ({"body": ""}, 400),
        ({"rawQueryString": "x=1"}, 400),
        ({"rawQueryString": "x=%ff"}, 400),
    ],
)
def test_a_body_is_read_in_every_wrapping(parts: dict[str, Any], status: int) -> None:
    reply = answer_http(an_event(**parts), (row_of("IngestEvent"),), make_world())

    assert reply["statusCode"] == status


def test_a_route_without_its_authorizer_is_a_fault_and_opens_nothing() -> None:
    bare = an_event(requestContext={"http": {}})

    with pytest.raises(KeyError):
        answer_http(bare, (row_of("IngestEvent"),), make_world())


@pytest.mark.parametrize("scopes", ["*", {"*": 1}, None, [], [["*"]]])
def test_a_context_that_the_authorizer_did_not_write_is_no_caller(scopes: Any) -> None:
    context = {"http": {}, "authorizer": {"lambda": {**CALLER, "scopes": scopes}}}

    with pytest.raises((TypeError, ValueError)):
        answer_http(an_event(requestContext=context), (row_of("IngestEvent"),), make_world())


def test_a_reply_that_cannot_be_made_is_reported_as_what_the_caller_gets() -> None:
    class Result:
        @property
        def body(self) -> NoReturn:
            raise TooLarge("the reply would be larger")

    reports = Reports()
    row = answered_by(lambda *_: Result())

    reply = answer_http(an_event(), (row,), make_world(report=reports))

    assert reply["statusCode"] == 413
    assert reports.told == [("IngestEvent", "INVALID_ARGUMENT")]
