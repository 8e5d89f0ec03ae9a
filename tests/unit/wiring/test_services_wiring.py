"""What every function needs: put together once for a process, and for each invocation."""

import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

import botocore.session
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict

from membrane.adapters.aws_lambda.invocation import (
    TRACE_ID,
    Context,
    Correlation,
    Event,
    note_request,
    under_way,
)
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.machinery.calls import one_ahead, side_by_side
from membrane.wiring import chance, clients
from membrane.wiring.world import World
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock
from tests.sample_events import sample_event

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


SCRIPT = """
import os, sys
os.environ.update(MEMBRANE_TABLE="t", MEMBRANE_BUCKET="b", AWS_DEFAULT_REGION="eu-central-1")
from membrane.wiring.start import world
assert world() is world()
assert world().documents is world().but(pause=None).documents
before = {"numpy", "onnxruntime", "membrane.domain.search.relevance"} & set(sys.modules)
embedder = world().embedders[0]
print(sorted(before), embedder.dimensions, embedder is world().embedders[0])
"""


def test_the_embedder_and_numpy_are_loaded_for_the_first_text_alone() -> None:
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )

    assert said.stdout.strip() == "[] 384 True"


ENVIRONMENT = {"MEMBRANE_TABLE": "memory", "MEMBRANE_BUCKET": "blobs"}


def test_a_given_part_serves_the_parts_that_are_made_of_it() -> None:
    policy, blobs = PolicyDefaults(prune_threshold=0.2), FakeBlobs()

    world = World(environment=ENVIRONMENT, policy=policy, blobs=blobs)

    assert (world.codec.prune_threshold, world.codec.blobs) == (0.2, blobs)


def test_a_copy_shares_every_part_that_it_does_not_replace_also_parts_that_are_made_later() -> None:
    world, clock = World(environment=ENVIRONMENT), FakeClock()

    copy = world.but(now=clock).but(policy=PolicyDefaults(prune_threshold=0.2))

    assert (copy.now, world.now) != (world.now, clock)
    assert copy.records is world.records
    assert world.codec.prune_threshold == PolicyDefaults().prune_threshold


def test_threads_that_ask_for_a_part_at_once_get_the_same_part() -> None:
    world = World(environment=ENVIRONMENT)

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: world.but().records, range(8)))

    assert all(each is world.records for each in made)


def test_a_part_that_no_world_has_is_refused() -> None:
    with pytest.raises(TypeError, match="there is no part clok"):
        World(environment=ENVIRONMENT, clok=FakeClock())


ROOT = "1-5759e988-bd862e3fe1be46a994272793"


@dataclass(slots=True)
class Invocation:
    aws_request_id: str = "of-lambda"
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        return 1_000


def noted(_event: Event, _context: Context) -> Correlation | None:
    """A handler that answers with what was noted."""
    return under_way.get()


def invoke(event: Any, times: int = 1) -> Correlation:
    """What the handler notes of the last of several invocations."""
    handler = note_request(noted)
    *_, last = (copy_context().run(handler, event, Invocation()) for _ in range(times))
    assert last is not None
    return last


def test_a_request_of_the_api_has_the_id_that_the_caller_sees() -> None:
    event = sample_event("ingest_event_http").content

    ids = invoke(event)

    assert ids.request_id == event["requestContext"]["requestId"]
    assert ids.function_request_id == "of-lambda"


@pytest.mark.parametrize("event", [{"source": "agent"}, {"requestContext": {}}, ["no object"]])
def test_any_other_invocation_has_lambdas_id(event: Any) -> None:
    assert invoke(event).request_id == "of-lambda"


def test_the_first_invocation_alone_is_a_cold_start() -> None:
    assert [invoke({}, times).cold_start for times in (1, 2, 3)] == [True, False, False]


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        (f"Root={ROOT};Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:a:0", ROOT),
        (f"Root={ROOT};Parent=53995c3f42cd8ad8;Sampled=0", None),
        ("", None),
    ],
)
def test_the_trace_is_named_where_x_ray_keeps_one(
    header: str, kept: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRACE_ID, header)

    assert invoke({}).xray_trace_id == kept


def test_threads_know_the_request_of_their_caller() -> None:
    def request_ids(_event: Event, _context: Context) -> list[str]:
        def request_id(_item: int) -> str:
            ids = under_way.get()
            return ids.request_id if ids else "none"

        return [*side_by_side(request_id, [1, 2]), *one_ahead(request_id, [1, 2])]

    found = copy_context().run(note_request(request_ids), {}, Invocation())

    assert found == ["of-lambda"] * 4
