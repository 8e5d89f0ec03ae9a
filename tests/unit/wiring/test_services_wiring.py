"""What every function needs: put together once for a process, and many times in a local stack."""

import re
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

import botocore.session
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict

from membrane.wiring import chance, clients
from membrane.wiring.world import World
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock

SETTINGS = {"MEMBRANE_TABLE": "memory", "MEMBRANE_BUCKET": "blobs"}


class Watched:
    """The events of a client that tells for which of them somebody asks to be called."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.asked: list[str] = []
        self.register = client.meta.events.register
        client.meta.events.register = self._note

    def _note(self, event: str, *handler: Any, **options: Any) -> Any:
        self.asked.append(event)
        return self.register(event, *handler, **options)


def test_services_that_share_a_client_do_not_lengthen_its_requests() -> None:
    client: Any = botocore.session.get_session().create_client("dynamodb")
    watched = Watched(client)

    for _ in range(2):
        made = World(environment=SETTINGS, dynamodb=client, blobs=FakeBlobs(), now=FakeClock())
        assert made.records.codec is made.codec
        assert made.ranks.classes is made.classes

    assert watched.asked == []


ITEM = {"pk": {"S": "record#1"}}
REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "put_item": {"TableName": "memory", "Item": ITEM},
    "query": {"TableName": "memory", "KeyConditionExpression": "pk = :pk"},
    "transact_write_items": {"TransactItems": [{"Put": {"TableName": "memory", "Item": ITEM}}]},
}
TOKEN = re.compile(rb'"ClientRequestToken": "[0-9a-f-]{36}"')
OF_ONE_REQUEST = {"Authorization", "X-Amz-Date"}
NOT_NEEDED = {"amz-sdk-invocation-id", "amz-sdk-request", "X-Amzn-Trace-Id"}
SIGNATURE = re.compile(
    r"(?P<algorithm>\S+) Credential=\w+/\d{8}/(?P<scope>\S+), SignedHeaders=(?P<headers>\S+), .*"
)


@pytest.mark.parametrize("operation", REQUESTS)
def test_the_tables_client_sends_what_any_client_sends(
    operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "ingest")
    monkeypatch.setenv("_X_AMZN_TRACE_ID", "Root=1-2-3")
    any_request, request = (
        sent(client, operation) for client in (clients.dynamodb_client(), clients.table_client())
    )

    assert (request.method, request.url) == (any_request.method, any_request.url)
    assert TOKEN.subn(b"", body_of(request)) == TOKEN.subn(b"", body_of(any_request))
    assert headers_of(any_request) - headers_of(request) == NOT_NEEDED
    assert {each: request.headers[each] for each in headers_of(request) - OF_ONE_REQUEST} == {
        each: any_request.headers[each] for each in headers_of(request) - OF_ONE_REQUEST
    }


@pytest.mark.parametrize("operation", REQUESTS)
def test_the_tables_client_signs_as_any_client_signs(operation: str) -> None:
    (any_algorithm, any_scope, any_headers), (algorithm, scope, headers) = (
        signature_of(sent(client, operation))
        for client in (clients.dynamodb_client(), clients.table_client())
    )

    assert (algorithm, scope) == (any_algorithm, any_scope)
    assert headers == any_headers - {each.lower() for each in NOT_NEEDED}


def test_every_transaction_has_a_token_of_its_own() -> None:
    tokens = {
        TOKEN.findall(body_of(sent(clients.table_client(), "transact_write_items")))[0]
        for _ in range(2)
    }

    assert len(tokens) == 2


def signature_of(request: AWSPreparedRequest) -> tuple[str, str, set[str]]:
    """Its algorithm, the scope of its credential, and the headers that it covers."""
    header: Any = request.headers["Authorization"]
    text = header.decode() if isinstance(header, bytes) else str(header)
    found = SIGNATURE.fullmatch(text)
    assert found, text
    return found["algorithm"], found["scope"], set(found["headers"].split(";"))


def sent(client: Any, operation: str) -> AWSPreparedRequest:
    """The HTTP request of the operation; nothing leaves this process."""
    requests: list[AWSPreparedRequest] = []
    no_headers: Any = HeadersDict({})

    def answer(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        requests.append(request)
        return AWSResponse(request.url, 200, no_headers, Nothing())

    client.meta.events.register("before-send.dynamodb", answer)
    try:
        getattr(client, operation)(**REQUESTS[operation])
    finally:
        client.meta.events.unregister("before-send.dynamodb", answer)
    return requests[0]


class Nothing:
    """A body without anything in it."""

    def stream(self) -> Iterator[bytes]:
        yield b"{}"


def body_of(request: AWSPreparedRequest) -> bytes:
    body: Any = request.body
    return bytes(body)


def headers_of(request: AWSPreparedRequest) -> set[str]:
    return {str(each) for each in request.headers}


def test_no_secret_begins_as_an_option_of_a_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    made = iter(["-first", "--second", "third"])
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _: next(made))

    assert chance.new_secret() == "third"
