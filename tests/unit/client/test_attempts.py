"""Attempts at a request: the failures worth a retry, and the parts an attempt repeats."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane_client import (
    NOT_GIVEN,
    APIError,
    BadRequest,
    Conflict,
    ConnectionFailed,
    Forbidden,
    MembraneError,
    NotFound,
    PayloadTooLarge,
    ServerError,
    TimedOut,
    TooManyRequests,
    Unauthorized,
    UnexpectedReply,
)
from membrane_client.core.protocol import Pause, Reply, Request
from membrane_client.core.sending import send
from tests.builders.filled_stores import an_api, played

OK = Reply(200, {}, b'{"status": "ok"}')
WRITTEN = Reply(201, {}, b'{"record": {"id": "r1"}, "consistency_token": "MS5yMQ"}')
PASSING = [
    ConnectionFailed("refused"),
    TimedOut("late"),
    *(Reply(status, {}, b"{}") for status in (408, 429, 500, 502, 503, 504)),
]


@pytest.mark.parametrize("failure", PASSING, ids=str)
def test_what_passes_is_tried_again(failure: Reply | MembraneError) -> None:
    steps, result = played(an_api().health(), failure, OK)

    request, pause, again = steps
    assert isinstance(pause, Pause)
    assert again == request
    assert result.status == "ok"


@pytest.mark.parametrize("failure", PASSING, ids=str)
def test_a_write_has_one_idempotency_key_for_all_of_its_attempts(
    failure: Reply | MembraneError,
) -> None:
    steps, _ = played(an_api().ingest_event("build", "15"), failure, failure, WRITTEN)

    keys = [each.headers["idempotency-key"] for each in steps if isinstance(each, Request)]
    assert len(keys) == 3
    assert len({*keys}) == 1


def test_two_writes_have_two_keys() -> None:
    (first, *_), _ = played(an_api().ingest_event("build", "15"), WRITTEN)
    (second, *_), _ = played(an_api().ingest_event("build", "15"), WRITTEN)

    assert isinstance(first, Request)
    assert isinstance(second, Request)
    assert first.headers["idempotency-key"] != second.headers["idempotency-key"]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, BadRequest),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (413, PayloadTooLarge),
        (418, APIError),
    ],
)
def test_a_refusal_is_not_tried_again(status: int, kind: type[APIError]) -> None:
    problem = (
        b'{"code": "CODE", "detail": "a sentence", "errors": [{"field": "f", "message": "m"}]}'
    )

    with pytest.raises(kind) as refused:
        played(an_api().health(), Reply(status, {"apigw-requestid": "id-1"}, problem))

    error = refused.value
    assert (error.status, error.code, error.detail) == (status, "CODE", "a sentence")
    assert error.errors == ({"field": "f", "message": "m"},)
    assert error.request_id == "id-1"


@pytest.mark.parametrize(("status", "kind"), [(429, TooManyRequests), (503, ServerError)])
def test_the_last_failure_is_raised_when_the_attempts_are_used_up(
    status: int, kind: type[APIError]
) -> None:
    refusal = Reply(status, {}, b'{"message": "throttled"}')

    with pytest.raises(kind, match="throttled"):
        played(an_api(max_retries=1).health(), refusal, refusal)


def test_a_refusal_without_json_is_shown_as_it_came() -> None:
    with pytest.raises(ServerError, match="Internal Server Error"):
        played(an_api(max_retries=0).health(), Reply(500, {}, b"Internal Server Error"))


def test_retry_after_is_the_least_pause() -> None:
    refusal = Reply(429, {"retry-after": "7"}, b"{}")

    (_, pause, _), _ = played(an_api().health(), refusal, OK)

    assert isinstance(pause, Pause)
    assert 7.0 <= pause.seconds <= 7.5


@pytest.mark.parametrize("header", ["Wed, 21 Oct 2015 07:28:00 GMT", "soon", "nan"])
def test_a_retry_after_that_is_over_or_no_time_adds_nothing(header: str) -> None:
    (_, pause, _), _ = played(an_api().health(), Reply(429, {"retry-after": header}, b"{}"), OK)

    assert isinstance(pause, Pause)
    assert pause.seconds <= 0.5


def test_retry_after_may_be_a_fraction_or_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=50), usegmt=True)

    for header, least in (("1.5", 1.5), (date, 20.0)):
        (_, pause, _), _ = played(an_api().health(), Reply(429, {"retry-after": header}, b"{}"), OK)

        assert isinstance(pause, Pause)
        assert pause.seconds >= least


@pytest.mark.parametrize(
    ("status", "said"), [(301, "https://elsewhere"), (304, "304"), (101, "101")]
)
def test_a_reply_that_is_no_success_and_no_refusal_is_unexpected(status: int, said: str) -> None:
    reply = Reply(status, {"location": "https://elsewhere"} if status == 301 else {}, b"")

    with pytest.raises(UnexpectedReply, match=said):
        played(an_api().forget("r1", why="asked to"), reply)


@pytest.mark.parametrize(
    ("detail", "errors", "said"),
    [
        ("limit: too many", {"limit": "too many", "f": "is no word"}, "; f: is no word"),
        ("does not go with q", {"similar_to": "does not go with q"}, " (similar_to)"),
        ("a is required", {"a": "a is required", "b": "b is required"}, "; b is required"),
        ("ids[0] is empty", {"ids.0": "ids[0] is empty"}, ""),
    ],
)
def test_each_message_of_a_refusal_stands_once(
    detail: str, errors: Mapping[str, str], said: str
) -> None:
    fields = [{"field": name, "message": message} for name, message in errors.items()]
    body = {"code": "C", "detail": detail, "errors": fields}

    with pytest.raises(BadRequest) as refused:
        played(an_api().health(), Reply(400, {}, json.dumps(body).encode()))

    assert str(refused.value) == f"400 C: {detail}{said}"


@pytest.mark.parametrize(
    ("status", "said"), [(401, "no API key"), (403, "unknown, expired or revoked"), (404, "url")]
)
def test_a_refusal_of_the_gateway_is_explained(status: int, said: str) -> None:
    with pytest.raises(APIError, match=rf"^{status}: Refused \(.*{said}"):
        played(an_api().health(), Reply(status, {}, b'{"message": "Refused"}'))


@pytest.mark.parametrize("errors", [b"null", b'["a"]', b'"a"', b"{}"])
def test_a_refusal_with_field_errors_of_another_shape_is_a_refusal(errors: bytes) -> None:
    with pytest.raises(BadRequest, match="a sentence") as refused:
        played(
            an_api().health(), Reply(400, {}, b'{"detail": "a sentence", "errors": %s}' % errors)
        )

    assert refused.value.errors == ()


def test_a_service_that_asks_for_more_than_a_minute_is_not_asked_again() -> None:
    with pytest.raises(TooManyRequests) as refused:
        played(an_api().health(), Reply(429, {"retry-after": "61"}, b"{}"))

    assert refused.value.retry_after_s == 61.0


@given(st.integers(0, 12))
def test_pauses_have_full_jitter_up_to_a_bound_that_doubles(retries: int) -> None:
    failures = [ConnectionFailed("refused")] * retries

    steps, _ = played(an_api(max_retries=retries).health(), *failures, OK)

    pauses = [each.seconds for each in steps if isinstance(each, Pause)]
    assert len(pauses) == retries
    assert all(0.0 <= each <= min(8.0, 0.5 * 2**at) for at, each in enumerate(pauses))


def test_a_write_without_a_key_is_never_sent_twice() -> None:
    write = Request("POST", "http://memory/v1/x", {}, b"{}", 1.0, is_repeatable=False)

    with pytest.raises(ConnectionFailed):
        played(send(write, max_retries=5), ConnectionFailed("refused"))


def test_a_put_that_arrived_although_its_reply_was_lost_is_done() -> None:
    opened = (
        b'{"upload_id": "u1", "url": "http://bucket/u1", "method": "PUT", "headers": {"a": "b"}}'
    )
    uploading = an_api()._upload(b"[]", "key 0", None, NOT_GIVEN)  # noqa: SLF001 - the steps of one upload

    yielded, upload_id = played(
        uploading, Reply(201, {}, opened), TimedOut("late"), Reply(412, {}, b"<Error/>")
    )

    assert upload_id == "u1"
    first, second = [each for each in yielded[1:] if isinstance(each, Request)]
    assert first == second
    assert "authorization" not in first.headers
